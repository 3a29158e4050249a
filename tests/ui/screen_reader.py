#!/usr/bin/python3
"""Uses the window as a screen reader does, through AT-SPI: nothing but what it tells is known.

usage: screen_reader.py FIRESIDE    (with a display)

Walks all controls and wants a name for each, finds the composer, writes a message, sends it, reads the reply
message by message, and wants the reply announced while it comes.
"""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time


def skip(missing):
    print(f"not installed (at-spi2-core, gir1.2-atspi-2.0, python3-gi, dbus-daemon): {missing}", file=sys.stderr)
    sys.exit(1 if os.environ.get("CI") in ("true", "1") else 77)


if not shutil.which("dbus-run-session"):
    skip("dbus-run-session")
if "FIRESIDE_SCREEN_READER" not in os.environ:  # a session of its own
    os.environ["FIRESIDE_SCREEN_READER"] = "1"
    os.execvp("dbus-run-session", ["dbus-run-session", "--", sys.executable, *sys.argv])
try:
    import gi

    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi, GLib
except (ImportError, ValueError) as missing:
    skip(missing)

PATIENCE = 120  # seconds: for a slow computer
Role = Atspi.Role
State = Atspi.StateType
# What a person acts on. Its name is all that is heard of it.
CONTROLS = {
    Role.PUSH_BUTTON, Role.TOGGLE_BUTTON, Role.CHECK_BOX, Role.RADIO_BUTTON, Role.COMBO_BOX, Role.ENTRY, Role.TEXT,
    Role.PASSWORD_TEXT, Role.SPIN_BUTTON, Role.SLIDER, Role.LIST, Role.TABLE, Role.TREE, Role.TREE_TABLE,
    Role.LIST_ITEM, Role.MENU, Role.MENU_ITEM, Role.CHECK_MENU_ITEM, Role.PAGE_TAB, Role.PROGRESS_BAR, Role.LINK,
}
failures = []


def expect(condition, what):
    print(("ok    " if condition else "FAIL  ") + what, flush=True)
    if not condition:
        failures.append(what)
    return condition


def turn(seconds=0.02):
    """Lets events come in."""
    context, end = GLib.MainContext.default(), time.monotonic() + seconds
    while context.pending():
        context.iteration(False)
    time.sleep(max(0.0, end - time.monotonic()))


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            found = condition()
        except GLib.Error:  # what was asked is gone by now
            found = None
        if found:
            return found
        turn()
    expect(False, f"{what} within {PATIENCE} s")
    sys.exit(1)


def children(node):
    return [child for child in (node.get_child_at_index(i) for i in range(node.get_child_count())) if child]


def descendants(node):
    for child in children(node):
        yield child
        yield from descendants(child)


def is_(node, *states):
    has = node.get_state_set()
    return all(has.contains(state) for state in states)


def label_of(node):
    """Its name, or that of what labels it."""
    if node.get_name().strip():
        return node.get_name()
    for relation in node.get_relation_set():
        if relation.get_relation_type() == Atspi.RelationType.LABELLED_BY:
            return relation.get_target(0).get_name()
    return ""


def place_of(node):
    names = []
    while node and node.get_role() != Role.APPLICATION:
        names.append(f"{node.get_role_name()} '{node.get_name()[:30]}'")
        node = node.get_parent()
    return " < ".join(names)


def find(root, role, name_part):
    for node in descendants(root):
        if node.get_role() == role and name_part in label_of(node) and is_(node, State.SHOWING):
            return node
    return None


def check_names(window):
    """Each control that is shown has a name; menus as well, whose entries are not shown."""
    seen = unnamed = 0
    for node in descendants(window):
        in_menu = node.get_role() in (Role.MENU, Role.MENU_ITEM, Role.CHECK_MENU_ITEM)
        if node.get_role() not in CONTROLS or not (in_menu or is_(node, State.SHOWING)):
            continue
        seen += 1
        if not label_of(node).strip():
            unnamed += 1
            print("   unnamed: " + place_of(node))
    expect(seen > 40, f"{seen} controls are found")
    expect(unnamed == 0, f"{unnamed} of them have no name")


def application():
    desktop = Atspi.get_desktop(0)
    for app in children(desktop):
        if app.get_name().lower() == "fireside":
            return app
    return None


def focus_window():
    """What a window manager does; here there is none."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display, ids, count = ctypes.c_void_p(x11.XOpenDisplay(None)), ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
    x11.XDefaultRootWindow.restype = root_type = ctypes.c_ulong
    root, ignored, parent = root_type(x11.XDefaultRootWindow(display)), ctypes.c_ulong(), ctypes.c_ulong()
    x11.XQueryTree(display, root, *map(ctypes.byref, (ignored, parent, ids, count)))
    attributes = (ctypes.c_char * 256)()
    for window in (ids[i] for i in range(count.value)):
        x11.XGetWindowAttributes(display, ctypes.c_ulong(window), attributes)
        if ctypes.c_int.from_buffer(attributes, 92).value == 2:  # its state: to be seen
            x11.XSetInputFocus(display, ctypes.c_ulong(window), 2, 0)
    x11.XCloseDisplay(display)


def write_message(composer, text):
    expect(is_(composer, State.FOCUSABLE, State.EDITABLE), "the composer can be focused and edited")
    Atspi.Component.grab_focus(composer)
    wait_for(lambda: is_(composer, State.FOCUSED), "the composer has the focus")
    Atspi.EditableText.insert_text(composer, 0, text, len(text))
    length = Atspi.Text.get_character_count(composer)
    expect(Atspi.Text.get_text(composer, 0, length) == text, "the composer says what was written")


def messages(window):
    transcript = find(window, Role.LIST, "Conversation")
    return [node.get_name() for node in children(transcript)] if transcript else []


def press(button):
    return Atspi.Action.do_action(button, 0)


def converse(window):
    heard = []

    def hear(event):
        source = event.source
        if event.type.startswith("object:announcement"):
            heard.append(str(event.any_data))
        elif source and source.get_role() == Role.NOTIFICATION and event.detail1:
            heard.append(source.get_name())

    listener = Atspi.EventListener.new(hear)
    for kind in ("object:announcement", "object:state-changed:showing"):
        listener.register(kind)
    composer = wait_for(lambda: find(window, Role.TEXT, "Message"), "the composer is found")
    # Sent once the model is there: until then Send cannot be pressed.
    write_message(composer, "Who are you?")
    send = wait_for(lambda: find(window, Role.PUSH_BUTTON, "Send"), "the button that sends is found")
    wait_for(lambda: is_(send, State.ENABLED), "the model is loaded")
    expect(press(send), "Send is pressed")
    said = wait_for(lambda: len(messages(window)) >= 2 and messages(window), "there are two messages")
    expect("Who are you?" in said[0], f"the first message is one's own: {said[0][:60]}")
    wait_for(lambda: find(window, Role.PUSH_BUTTON, "Send") and heard, "the reply has ended, and was heard of")
    turn(1)
    reply = messages(window)[1]
    expect(len(reply) > 20, f"the second message is the reply: {reply[:70]}")
    words = [word for text in heard for word in text.split()]
    expect(len([word for word in words if word in reply]) > 3, f"the reply is announced: {heard[:3]}")


def main():
    home = tempfile.mkdtemp()
    own = {f"XDG_{what}_HOME": f"{home}/{what.lower()}" for what in ("DATA", "CONFIG", "CACHE")}
    program = subprocess.Popen(
        [sys.argv[1]], env={**os.environ, **own, "HOME": home, "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
    )
    try:
        app = wait_for(application, "the program is on the accessibility bus")
        window = wait_for(
            lambda: next((node for node in children(app) if is_(node, State.SHOWING)), None), "its window is shown"
        )
        expect("Fireside" in window.get_name(), f"the window's name: {window.get_name()}")
        focus_window()
        converse(window)
        check_names(window)
    finally:
        program.terminate()
        program.wait()
        shutil.rmtree(home, ignore_errors=True)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
