<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>EngineText</name>
    <message>
        <source>Running on the CPU as chosen; choose Automatic to let Fireside decide (%1)</source>
        <translation>Läuft auf der CPU, wie gewählt; mit „Automatisch“ entscheidet Fireside (%1)</translation>
    </message>
    <message>
        <source>Running on the CPU because %1 (%2)</source>
        <translation>Läuft auf der CPU. Der Grund: %1 (%2)</translation>
    </message>
    <message>
        <source>Running on %1 through Vulkan as chosen (%2); choose Automatic to let Fireside decide</source>
        <translation>Läuft auf %1 durch Vulkan, wie gewählt (%2); mit „Automatisch“ entscheidet Fireside</translation>
    </message>
    <message>
        <source>Running on %1 through Vulkan (%2); %3</source>
        <translation>Läuft auf %1 durch Vulkan (%2); %3</translation>
    </message>
    <message>
        <source>Running as asked, %1</source>
        <translation>Läuft wie verlangt, %1</translation>
    </message>
    <message>
        <source>Running %1 because %2; %3</source>
        <translation>Läuft so: %1. Der Grund: %2; %3</translation>
    </message>
    <message>
        <source>choose CPU in the backend settings or --backend cpu to force the CPU</source>
        <translation>„CPU“ in den Einstellungen oder --backend cpu erzwingt die CPU</translation>
    </message>
    <message>
        <source>choose Vulkan in the backend settings or --backend vulkan to force it</source>
        <translation>„Vulkan“ in den Einstellungen oder --backend vulkan erzwingt es</translation>
    </message>
    <message>
        <source>a software device, slower than the CPU; %1</source>
        <translation>ein Software-Gerät, langsamer als die CPU; %1</translation>
    </message>
    <message>
        <source>it is the faster one here; %1</source>
        <translation>sie ist hier schneller; %1</translation>
    </message>
    <message>
        <source>it is the faster one here</source>
        <translation>sie ist hier schneller</translation>
    </message>
    <message>
        <source>no Vulkan device was looked for</source>
        <translation>nach Vulkan-Geräten wurde nicht gesucht</translation>
    </message>
    <message>
        <source>no Vulkan device was found</source>
        <translation>es wurde kein Vulkan-Gerät gefunden</translation>
    </message>
    <message>
        <source>the model does not fit on the CPU: it %1; choose a smaller model or a shorter context</source>
        <translation>das Modell passt nicht in den Arbeitsspeicher: Es %1; wählen Sie ein kleineres Modell oder einen kürzeren Kontext</translation>
    </message>
    <message>
        <source>Vulkan was chosen but cannot be used: %1</source>
        <translation>Vulkan wurde gewählt, kann aber nicht benutzt werden: %1</translation>
    </message>
    <message>
        <source>what was asked for cannot be met: %1; for the CPU: %2</source>
        <translation>was verlangt wurde, geht nicht: %1; für die CPU: %2</translation>
    </message>
    <message>
        <source>%1: taken; %2</source>
        <translation>%1: gewählt; %2</translation>
    </message>
    <message>
        <source>%1: taken</source>
        <translation>%1: gewählt</translation>
    </message>
    <message>
        <source>%1; not asked for</source>
        <translation>%1; nicht verlangt</translation>
    </message>
    <message>
        <source>%1, fewer than the %2 of %3</source>
        <translation>%1, weniger als die %2 von: %3</translation>
    </message>
    <message>
        <source>%1; %2 comes first</source>
        <translation>%1; zuerst kommt: %2</translation>
    </message>
    <message>
        <source>%1 is not among the devices to use</source>
        <translation>%1 gehört nicht zu den benutzten Geräten</translation>
    </message>
    <message>
        <source>%1 is a software device, slower than Fireside&apos;s own CPU kernels</source>
        <translation>%1 ist ein Software-Gerät, langsamer als Firesides eigene Rechenkerne für die CPU</translation>
    </message>
    <message>
        <source>%1 of %2 layers on graphics processors were asked for</source>
        <translation>verlangt wurden %1 von %2 Schichten auf Grafikprozessoren</translation>
    </message>
    <message>
        <source>only %1 of the %2 layers that were asked for have room on graphics processors</source>
        <translation>nur %1 der %2 verlangten Schichten haben auf Grafikprozessoren Platz</translation>
    </message>
    <message>
        <source>only %1 of %2 layers have room on graphics processors</source>
        <translation>nur %1 von %2 Schichten haben auf Grafikprozessoren Platz</translation>
    </message>
    <message>
        <source>%1 layers would run on the CPU, which was not asked for</source>
        <translation>%1 Schichten liefen auf der CPU, was nicht verlangt wurde</translation>
    </message>
    <message>
        <source>the CPU&apos;s part %1</source>
        <translation>der Teil der CPU %1</translation>
    </message>
    <message>
        <source>needs %1 for a context of %2 tokens, only %3 of RAM is free</source>
        <translation>braucht %1 für einen Kontext von %2 Token, nur %3 Arbeitsspeicher sind frei</translation>
    </message>
    <message>
        <source>needs %1, the computer has only %2 of RAM</source>
        <translation>braucht %1, der Rechner hat nur %2 Arbeitsspeicher</translation>
    </message>
    <message>
        <source>needs %1, the computer has %2 of RAM</source>
        <translation>braucht %1, der Rechner hat %2 Arbeitsspeicher</translation>
    </message>
    <message>
        <source>needs %1, only %2 of memory on %3 is free</source>
        <translation>braucht %1, nur %2 Speicher sind frei auf %3</translation>
    </message>
    <message>
        <source>needs %1, %2 of memory on %3 is free</source>
        <translation>braucht %1, %2 Speicher sind frei auf %3</translation>
    </message>
    <message>
        <source>needs %1, only %2 of RAM is free</source>
        <translation>braucht %1, nur %2 Arbeitsspeicher sind frei</translation>
    </message>
    <message>
        <source>needs %1, %2 of RAM is free</source>
        <translation>braucht %1, %2 Arbeitsspeicher sind frei</translation>
    </message>
    <message>
        <source>needs %1, how much RAM is free is unknown</source>
        <translation>braucht %1, wie viel Arbeitsspeicher frei ist, ist nicht bekannt</translation>
    </message>
    <message>
        <source>needs %1 of the device&apos;s %2</source>
        <translation>braucht %1 von den %2 des Geräts</translation>
    </message>
    <message>
        <source>about %1 tokens a second expected, %2</source>
        <translation>etwa %1 Token je Sekunde erwartet, %2</translation>
    </message>
    <message>
        <source>%1 tokens a second measured, %2</source>
        <translation>%1 Token je Sekunde gemessen, %2</translation>
    </message>
    <message>
        <source>about %1 tokens a second expected on %2</source>
        <translation>etwa %1 Token je Sekunde erwartet auf %2</translation>
    </message>
    <message>
        <source>%1 tokens a second measured on %2</source>
        <translation>%1 Token je Sekunde gemessen auf %2</translation>
    </message>
    <message>
        <source>about %1 tokens a second expected</source>
        <translation>etwa %1 Token je Sekunde erwartet</translation>
    </message>
    <message>
        <source>%1 tokens a second measured</source>
        <translation>%1 Token je Sekunde gemessen</translation>
    </message>
    <message>
        <source>the model %1</source>
        <translation>das Modell %1</translation>
    </message>
    <message>
        <source>all %1 layers on %2</source>
        <translation>alle %1 Schichten auf: %2</translation>
    </message>
    <message>
        <source>the CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>cannot open %1: No such file or directory</source>
        <translation>%1 kann nicht geöffnet werden: Die Datei gibt es nicht</translation>
    </message>
    <message>
        <source>cannot open %1: Permission denied</source>
        <translation>%1 kann nicht geöffnet werden: Die Rechte dafür fehlen</translation>
    </message>
    <message>
        <source>cannot open %1: it is a folder, not a file</source>
        <translation>%1 kann nicht geöffnet werden: Es ist ein Ordner, keine Datei</translation>
    </message>
    <message>
        <source>cannot open %1: it is not a regular file</source>
        <translation>%1 kann nicht geöffnet werden: Es ist keine gewöhnliche Datei</translation>
    </message>
    <message>
        <source>cannot map %1: %2 of address space are not available (see ulimit -v)</source>
        <translation>%1 kann nicht eingeblendet werden: %2 Adressraum sind nicht verfügbar (siehe ulimit -v)</translation>
    </message>
    <message>
        <source>the model file changed on disk: %1</source>
        <translation>die Modelldatei hat sich auf der Platte geändert: %1</translation>
    </message>
    <message>
        <source>not enough memory: an allocation failed, %1 of %2 are free</source>
        <translation>zu wenig Speicher: Eine Anforderung schlug fehl, %1 von %2 sind frei</translation>
    </message>
    <message>
        <source>not enough memory: an allocation failed</source>
        <translation>zu wenig Speicher: Eine Anforderung schlug fehl</translation>
    </message>
    <message>
        <source>the message is too long: with what must precede it it takes %1 tokens, and of the context of %2 tokens %3 are available (%4 are kept for the answer)</source>
        <translation>die Nachricht ist zu lang: Mit dem, was ihr vorangehen muss, hat sie %1 Token, und vom Kontext von %2 Token sind %3 verfügbar (%4 bleiben für die Antwort)</translation>
    </message>
    <message>
        <source>the chat has grown too long for the context: it takes %1 tokens, and of the context of %2 tokens %3 are available (%4 are kept for the answer)</source>
        <translation>der Chat ist zu lang für den Kontext geworden: Er hat %1 Token, und vom Kontext von %2 Token sind %3 verfügbar (%4 bleiben für die Antwort)</translation>
    </message>
    <message>
        <source>not supported: architecture %1 (this version runs: %2)</source>
        <translation>nicht unterstützt: die Architektur %1 (diese Version kann: %2)</translation>
    </message>
    <message>
        <source>tensor %1: weight type %2 is not supported</source>
        <translation>Tensor %1: Der Gewichtstyp %2 wird nicht unterstützt</translation>
    </message>
    <message>
        <source>tensor %1 at offset %2 needs %3 bytes, but the file ends %4 bytes later; it is probably cut short</source>
        <translation>Tensor %1 ab Byte %2 braucht %3 Byte, doch die Datei endet %4 Byte danach; sie ist wohl abgeschnitten</translation>
    </message>
    <message>
        <source>the file ends inside the %1 at offset %2: %3 bytes needed, %4 left</source>
        <translation>die Datei endet mitten in: %1, bei Byte %2: %3 Byte gebraucht, %4 übrig</translation>
    </message>
    <message>
        <source>no model is loaded</source>
        <translation>kein Modell ist geladen</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <translation>%1; %2</translation>
    </message>
    <message>
        <source>needs %1 for quantised weights and a context of %2 tokens, only %3 of RAM is free</source>
        <translation>braucht %1 für quantisierte Gewichte und einen Kontext von %2 Token, nur %3 Arbeitsspeicher sind frei</translation>
    </message>
    <message>
        <source>needs %1, how much memory on %2 is free is unknown</source>
        <translation>braucht %1; wie viel Speicher auf %2 frei ist, ist nicht bekannt</translation>
    </message>
    <message>
        <source>%1 within the limit</source>
        <translation>%1 innerhalb der Grenze</translation>
    </message>
    <message>
        <source>%1 beside the reserve</source>
        <translation>%1 neben der Reserve</translation>
    </message>
    <message>
        <source>%1 layers on graphics processors were asked for</source>
        <translation>verlangt waren %1 Schichten auf Grafikprozessoren</translation>
    </message>
    <message>
        <source>the experts of %1 of %2 layers on graphics processors were asked for</source>
        <translation>verlangt waren die Experten von %1 der %2 Schichten auf Grafikprozessoren</translation>
    </message>
    <message>
        <source>%1 with its context in Q8_0</source>
        <translation>%1 mit dem Kontext in Q8_0</translation>
    </message>
    <message>
        <source>%1 with a context of %2 tokens in Q8_0</source>
        <translation>%1 mit einem Kontext von %2 Token in Q8_0</translation>
    </message>
    <message>
        <source>%1 with a context of %2 tokens</source>
        <translation>%1 mit einem Kontext von %2 Token</translation>
    </message>
    <message>
        <source>attention on %1, experts of %2 of %3 layers on the CPU</source>
        <translation>Attention auf %1, Experten von %2 der %3 Schichten auf der CPU</translation>
    </message>
    <message>
        <source>the model without its experts needs %1, only %2 of memory on %3 is free</source>
        <translation>das Modell ohne seine Experten braucht %1, nur %2 Speicher sind frei auf %3</translation>
    </message>
    <message>
        <source>only the experts of %1 of the %2 layers that were asked for have room on %3</source>
        <translation>nur die Experten von %1 der verlangten %2 Schichten haben Platz auf %3</translation>
    </message>
    <message>
        <source>the experts of %1 layers would run on the CPU, which was not asked for</source>
        <translation>die Experten von %1 Schichten liefen auf der CPU, was nicht verlangt war</translation>
    </message>
    <message>
        <source>%1 on %2 and %3 on the CPU of %4 layers</source>
        <translation>von %4 Schichten %1 auf %2 und %3 auf der CPU</translation>
    </message>
    <message>
        <source>%1 on %2, %3 on %4 and %5 on the CPU of %6 layers</source>
        <translation>von %6 Schichten %1 auf %2, %3 auf %4 und %5 auf der CPU</translation>
    </message>
    <message>
        <source>%1 on %2, %3 on %4 of %5 layers</source>
        <translation>von %5 Schichten %1 auf %2, %3 auf %4</translation>
    </message>
    <message>
        <source>%1 of %2 layers on %3, %4 of %5 layers on %6</source>
        <translation>%1 von %2 Schichten auf: %3, %4 von %5 auf: %6</translation>
    </message>
    <message>
        <source>%1 of %2 layers on %3</source>
        <translation>%1 von %2 Schichten auf: %3</translation>
    </message>
    <message>
        <source>%1, experts of %2 on %3</source>
        <translation>%1, Experten von %2 auf: %3</translation>
    </message>
    <message>
        <source>%1, weights quantised to %2 while loading</source>
        <translation>%1, Gewichte beim Laden in %2 quantisiert</translation>
    </message>
    <message>
        <source>CPU: %1</source>
        <translation>CPU: %1</translation>
    </message>
    <message>
        <source>Vulkan: %1</source>
        <translation>Vulkan: %1</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>Always works: %1, %2 RAM</source>
        <translation>Geht immer: %1, %2 Arbeitsspeicher</translation>
    </message>
    <message>
        <source>Always works: %1, RAM size unknown</source>
        <translation>Geht immer: %1, Größe des Arbeitsspeichers unbekannt</translation>
    </message>
    <message>
        <source>passed every check</source>
        <translation>hat jede Prüfung bestanden</translation>
    </message>
    <message>
        <source>this build of Fireside contains no Vulkan support</source>
        <translation>diese Fassung von Fireside kann kein Vulkan</translation>
    </message>
    <message>
        <source>install a build with Vulkan, or configure with -DFIRESIDE_VULKAN=ON</source>
        <translation>installieren Sie eine Fassung mit Vulkan, oder bauen Sie mit -DFIRESIDE_VULKAN=ON</translation>
    </message>
    <message>
        <source>this build contains the Vulkan backend</source>
        <translation>diese Fassung enthält das Vulkan-Backend</translation>
    </message>
    <message>
        <source>%1, Vulkan %2</source>
        <translation>%1, Vulkan %2</translation>
    </message>
    <message>
        <source>the Vulkan loader could not be opened</source>
        <translation>der Vulkan-Lader konnte nicht geöffnet werden</translation>
    </message>
    <message>
        <source>install it with &apos;sudo apt install libvulkan1&apos;</source>
        <translation>installieren Sie ihn mit &apos;sudo apt install libvulkan1&apos;</translation>
    </message>
    <message>
        <source>the Vulkan loader knows only Vulkan %1</source>
        <translation>der Vulkan-Lader kennt nur Vulkan %1</translation>
    </message>
    <message>
        <source>update libvulkan1 to a version with Vulkan 1.2</source>
        <translation>aktualisieren Sie libvulkan1 auf eine Version mit Vulkan 1.2</translation>
    </message>
    <message>
        <source>the loader offers Vulkan %1</source>
        <translation>der Lader bietet Vulkan %1</translation>
    </message>
    <message>
        <source>the address space is limited to %1 more, graphics drivers need up to %2</source>
        <translation>vom Adressraum sind nur noch %1 frei, Grafiktreiber brauchen bis zu %2</translation>
    </message>
    <message>
        <source>start Fireside without &apos;ulimit -v&apos;</source>
        <translation>starten Sie Fireside ohne &apos;ulimit -v&apos;</translation>
    </message>
    <message>
        <source>%1 can still be mapped</source>
        <translation>%1 sind noch frei</translation>
    </message>
    <message>
        <source>not limited</source>
        <translation>nicht begrenzt</translation>
    </message>
    <message>
        <source>a driver was found</source>
        <translation>ein Treiber wurde gefunden</translation>
    </message>
    <message>
        <source>no Vulkan driver was found</source>
        <translation>kein Vulkan-Treiber wurde gefunden</translation>
    </message>
    <message>
        <source>the Vulkan drivers could not be started</source>
        <translation>die Vulkan-Treiber ließen sich nicht starten</translation>
    </message>
    <message>
        <source>the Vulkan loader is broken</source>
        <translation>der Vulkan-Lader ist beschädigt</translation>
    </message>
    <message>
        <source>reinstall it with &apos;sudo apt install --reinstall libvulkan1&apos;</source>
        <translation>installieren Sie ihn neu mit &apos;sudo apt install --reinstall libvulkan1&apos;</translation>
    </message>
    <message>
        <source>the driver could not list its devices</source>
        <translation>der Treiber konnte seine Geräte nicht nennen</translation>
    </message>
    <message>
        <source>the checks ended early</source>
        <translation>die Prüfungen endeten vorzeitig</translation>
    </message>
    <message>
        <source>available</source>
        <translation>verfügbar</translation>
    </message>
    <message>
        <source>the device lacks: %1</source>
        <translation>dem Gerät fehlt: %1</translation>
    </message>
    <message>
        <source>needed %1; %2</source>
        <translation>gebraucht, %1; %2</translation>
    </message>
    <message>
        <source>everything below is part of it</source>
        <translation>alles Folgende gehört dazu</translation>
    </message>
    <message>
        <source>to run shaders without drawing</source>
        <translation>um Shader auszuführen, ohne zu zeichnen</translation>
    </message>
    <message>
        <source>to reach weights of any size</source>
        <translation>um Gewichte jeder Größe zu erreichen</translation>
    </message>
    <message>
        <source>for F16 weights and caches</source>
        <translation>für Gewichte und Zwischenspeicher in F16</translation>
    </message>
    <message>
        <source>for quantised weights</source>
        <translation>für quantisierte Gewichte</translation>
    </message>
    <message>
        <source>to read weights as they lie in the file</source>
        <translation>um Gewichte so zu lesen, wie sie in der Datei liegen</translation>
    </message>
    <message>
        <source>to wait for results with a time limit</source>
        <translation>um auf Ergebnisse mit einer Frist zu warten</translation>
    </message>
    <message>
        <source>for fast sums</source>
        <translation>für schnelle Summen</translation>
    </message>
    <message>
        <source>the shader self-test failed</source>
        <translation>der Selbsttest der Shader schlug fehl</translation>
    </message>
    <message>
        <source>a compute shader gave %1 right results</source>
        <translation>ein Shader lieferte %1 richtige Ergebnisse</translation>
    </message>
    <message>
        <source>update the graphics driver, or use the CPU</source>
        <translation>aktualisieren Sie den Grafiktreiber, oder nehmen Sie die CPU</translation>
    </message>
    <message>
        <source>update the graphics driver, or use the CPU; it is tried again at the next start</source>
        <translation>aktualisieren Sie den Grafiktreiber, oder nehmen Sie die CPU; beim nächsten Start wird es wieder versucht</translation>
    </message>
    <message>
        <source>%1; note that %2 is set to &apos;%3&apos;</source>
        <translation>%1; beachten Sie, dass %2 auf &apos;%3&apos; gesetzt ist</translation>
    </message>
    <message>
        <source>this user may not open %1: join its group with &apos;sudo usermod -aG %2 $USER&apos; and log in again</source>
        <translation>dieser Benutzer darf %1 nicht öffnen: treten Sie der Gruppe bei mit &apos;sudo usermod -aG %2 $USER&apos;, und melden Sie sich neu an</translation>
    </message>
    <message>
        <source>there is an NVIDIA GPU, but the Vulkan part of its driver did not start: install it (Debian: nvidia-driver and nvidia-vulkan-icd, Ubuntu: &apos;sudo ubuntu-drivers install&apos;), in a container with graphics capabilities</source>
        <translation>eine NVIDIA-Grafikkarte ist da, aber der Vulkan-Teil ihres Treibers startete nicht: installieren Sie ihn (Debian: nvidia-driver und nvidia-vulkan-icd, Ubuntu: &apos;sudo ubuntu-drivers install&apos;), in einem Container mit Grafikfähigkeiten</translation>
    </message>
    <message>
        <source>install the driver for %1 with &apos;sudo apt install mesa-vulkan-drivers&apos;</source>
        <translation>installieren Sie den Treiber für %1 mit &apos;sudo apt install mesa-vulkan-drivers&apos;</translation>
    </message>
    <message>
        <source>there is no GPU device file /dev/dri/renderD*; if this computer has a GPU, install mesa-vulkan-drivers (AMD, Intel) or NVIDIA&apos;s driver</source>
        <translation>es gibt keine Gerätedatei /dev/dri/renderD* einer Grafikkarte; hat dieser Computer eine, dann installieren Sie mesa-vulkan-drivers (AMD, Intel) oder den Treiber von NVIDIA</translation>
    </message>
    <message>
        <source>the graphics driver did not answer within %1 while it was checked</source>
        <translation>der Grafiktreiber antwortete bei der Prüfung nicht innerhalb von %1</translation>
    </message>
    <message>
        <source>the graphics driver crashed while it was checked (%1)</source>
        <translation>der Grafiktreiber stürzte bei der Prüfung ab (%1)</translation>
    </message>
    <message>
        <source>the graphics driver ended the program while it was checked (status %1)</source>
        <translation>der Grafiktreiber beendete das Programm bei der Prüfung (Status %1)</translation>
    </message>
    <message>
        <source>the graphics driver could not be checked: %1</source>
        <translation>der Grafiktreiber konnte nicht geprüft werden: %1</translation>
    </message>
    <message>
        <source>Built with Vulkan</source>
        <translation>Mit Vulkan gebaut</translation>
    </message>
    <message>
        <source>Vulkan loader</source>
        <translation>Vulkan-Lader</translation>
    </message>
    <message>
        <source>Address space</source>
        <translation>Adressraum</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>Treiber</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Self-test</source>
        <translation>Selbsttest</translation>
    </message>
    <message>
        <source>Model kernels</source>
        <translation>Rechenkerne</translation>
    </message>
    <message>
        <source>Vulkan 1.2 on the device</source>
        <translation>Vulkan 1.2 auf dem Gerät</translation>
    </message>
    <message>
        <source>Compute queue</source>
        <translation>Warteschlange zum Rechnen</translation>
    </message>
    <message>
        <source>Buffer device addresses</source>
        <translation>Geräteadressen von Puffern</translation>
    </message>
    <message>
        <source>16-bit storage</source>
        <translation>Speicher in 16 Bit</translation>
    </message>
    <message>
        <source>8-bit storage</source>
        <translation>Speicher in 8 Bit</translation>
    </message>
    <message>
        <source>Scalar block layout</source>
        <translation>Skalare Blockanordnung</translation>
    </message>
    <message>
        <source>Timeline semaphores</source>
        <translation>Zeitleisten-Semaphore</translation>
    </message>
    <message>
        <source>Subgroup arithmetic in compute shaders</source>
        <translation>Rechnen in Untergruppen von Shadern</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>Cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>Instruction set</source>
        <translation>Befehlssatz</translation>
    </message>
    <message>
        <source>Processor features</source>
        <translation>Fähigkeiten des Prozessors</translation>
    </message>
    <message>
        <source>RAM</source>
        <translation>Arbeitsspeicher</translation>
    </message>
    <message>
        <source>RAM free</source>
        <translation>Arbeitsspeicher frei</translation>
    </message>
    <message>
        <source>Address space left</source>
        <translation>Adressraum frei</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Vendor</source>
        <translation>Hersteller</translation>
    </message>
    <message>
        <source>Driver version</source>
        <translation>Treiberversion</translation>
    </message>
    <message>
        <source>Vulkan version</source>
        <translation>Vulkan-Version</translation>
    </message>
    <message>
        <source>Unified memory</source>
        <translation>Gemeinsamer Speicher</translation>
    </message>
    <message>
        <source>Workgroup</source>
        <translation>Arbeitsgruppe</translation>
    </message>
    <message>
        <source>Push constants</source>
        <translation>Push-Konstanten</translation>
    </message>
    <message>
        <source>Memory budget</source>
        <translation>Speicherbudget</translation>
    </message>
    <message>
        <source>Cooperative matrices</source>
        <translation>Kooperative Matrizen</translation>
    </message>
    <message>
        <source>Variants</source>
        <translation>Varianten</translation>
    </message>
    <message>
        <source>Driver messages</source>
        <translation>Meldungen des Treibers</translation>
    </message>
    <message>
        <source>Memory heap %1</source>
        <translation>Speicherbereich %1</translation>
    </message>
    <message>
        <source>Subgroup size</source>
        <translation>Größe der Untergruppen</translation>
    </message>
    <message>
        <source>Largest allocation</source>
        <translation>Größter Speicherblock</translation>
    </message>
    <message>
        <source>16-bit float arithmetic</source>
        <translation>Gleitkomma in 16 Bit</translation>
    </message>
    <message>
        <source>8-bit integer arithmetic</source>
        <translation>Ganzzahlen in 8 Bit</translation>
    </message>
    <message>
        <source>Integer dot product</source>
        <translation>Skalarprodukt ganzer Zahlen</translation>
    </message>
    <message>
        <source>discrete GPU</source>
        <translation>eigene Grafikkarte</translation>
    </message>
    <message>
        <source>integrated GPU</source>
        <translation>eingebaute Grafik</translation>
    </message>
    <message>
        <source>virtual GPU</source>
        <translation>virtuelle Grafik</translation>
    </message>
    <message>
        <source>software (runs on the CPU)</source>
        <translation>Software (läuft auf der CPU)</translation>
    </message>
    <message>
        <source>%1, on the device, %2 free</source>
        <translation>%1, auf dem Gerät, %2 frei</translation>
    </message>
    <message>
        <source>%1, of the host, %2 free</source>
        <translation>%1, des Computers, %2 frei</translation>
    </message>
    <message>
        <source>%1, on the device</source>
        <translation>%1, auf dem Gerät</translation>
    </message>
    <message>
        <source>%1, of the host</source>
        <translation>%1, des Computers</translation>
    </message>
    <message>
        <source>up to %1 invocations, %2 shared memory</source>
        <translation>bis zu %1 Aufrufe, %2 gemeinsamer Speicher</translation>
    </message>
    <message>
        <source>%1, %2 fast ones</source>
        <translation>%1, davon %2 schnelle</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>the Vulkan loader could not be opened (%1)</source>
        <translation>der Vulkan-Lader konnte nicht geöffnet werden (%1)</translation>
    </message>
    <message>
        <source>no Vulkan driver was found (%1)</source>
        <translation>kein Vulkan-Treiber wurde gefunden (%1)</translation>
    </message>
    <message>
        <source>the Vulkan drivers could not be started (%1)</source>
        <translation>die Vulkan-Treiber ließen sich nicht starten (%1)</translation>
    </message>
    <message>
        <source>the Vulkan loader is broken (%1)</source>
        <translation>der Vulkan-Lader ist beschädigt (%1)</translation>
    </message>
    <message>
        <source>the driver could not list its devices (%1)</source>
        <translation>der Treiber konnte seine Geräte nicht nennen (%1)</translation>
    </message>
    <message>
        <source>the checks ended early (%1)</source>
        <translation>die Prüfungen endeten vorzeitig (%1)</translation>
    </message>
    <message>
        <source>the shader self-test failed (%1)</source>
        <translation>der Selbsttest der Shader schlug fehl (%1)</translation>
    </message>
    <message>
        <source>%1, %2 cores, %3</source>
        <translation>%1, %2 Kerne, %3</translation>
    </message>
    <message>
        <source>%1, 1 core, %2</source>
        <translation>%1, 1 Kern, %2</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 Byte</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>%1: own kernels are used</source>
        <translation>%1: eigene Rechenkerne werden benutzt</translation>
    </message>
    <message>
        <source>%1, not used: own %2 kernels are faster</source>
        <translation>%1, ungenutzt: eigene Rechenkerne für %2 sind schneller</translation>
    </message>
    <message>
        <source>%1, used for F32, F16 and BF16 prompts from %2 tokens at once</source>
        <translation>%1, rechnet Eingaben in F32, F16 und BF16 ab %2 Token auf einmal</translation>
    </message>
    <message>
        <source>not found (install %1)</source>
        <translation>nicht gefunden (%1 installieren)</translation>
    </message>
    <message>
        <source>below 2 bits: very small, with heavy losses</source>
        <translation>unter 2 Bit: sehr klein, mit großen Verlusten</translation>
    </message>
    <message>
        <source>about 2 bits: small, with clear losses</source>
        <translation>etwa 2 Bit: klein, mit deutlichen Verlusten</translation>
    </message>
    <message>
        <source>about 3 bits: small, with noticeable losses</source>
        <translation>etwa 3 Bit: klein, mit merklichen Verlusten</translation>
    </message>
    <message>
        <source>about 4 bits: good balance of size and quality</source>
        <translation>etwa 4 Bit: gutes Verhältnis von Größe und Güte</translation>
    </message>
    <message>
        <source>about 5 bits: close to the original</source>
        <translation>etwa 5 Bit: nahe am Original</translation>
    </message>
    <message>
        <source>about 6 bits: hardly any loss</source>
        <translation>etwa 6 Bit: kaum Verlust</translation>
    </message>
    <message>
        <source>8 bits: practically the original</source>
        <translation>8 Bit: so gut wie das Original</translation>
    </message>
    <message>
        <source>16 bits: the original</source>
        <translation>16 Bit: das Original</translation>
    </message>
    <message>
        <source>32 bits: full precision</source>
        <translation>32 Bit: volle Genauigkeit</translation>
    </message>
    <message>
        <source>Starter (built in)</source>
        <translation>Startmodell (eingebaut)</translation>
    </message>
    <message>
        <source>Added folder</source>
        <translation>Hinzugefügter Ordner</translation>
    </message>
    <message>
        <source>Always works: %1, %2 cores, %3, %4 RAM</source>
        <translation>Geht immer: %1, %2 Kerne, %3, %4 Arbeitsspeicher</translation>
    </message>
    <message>
        <source>Always works: %1, 1 core, %2, %3 RAM</source>
        <translation>Geht immer: %1, 1 Kern, %2, %3 Arbeitsspeicher</translation>
    </message>
    <message>
        <source>%1: not asked for</source>
        <translation>%1: nicht verlangt</translation>
    </message>
    <message>
        <source>%1: %2 comes first</source>
        <translation>%1: %2 kommt zuerst</translation>
    </message>
    <message>
        <source>%1 and %2 for the program</source>
        <translation>%1 und %2 für das Programm</translation>
    </message>
    <message>
        <source>%1 and %2 for its driver</source>
        <translation>%1 und %2 für den Treiber</translation>
    </message>
    <message>
        <source>basic</source>
        <translation>Grundform</translation>
    </message>
    <message>
        <source>basic, %1</source>
        <translation>Grundform, %1</translation>
    </message>
    <message>
        <source>cooperative matrix</source>
        <translation>kooperative Matrizen</translation>
    </message>
    <message>
        <source>cooperative matrix, %1</source>
        <translation>kooperative Matrizen, %1</translation>
    </message>
    <message>
        <source>integer dot</source>
        <translation>Skalarprodukte ganzer Zahlen</translation>
    </message>
    <message>
        <source>built without %1</source>
        <translation>ohne %1 gebaut</translation>
    </message>
    <message>
        <source>%1 (chosen with FIRESIDE_ISA; the processor has %2)</source>
        <translation>%1 (mit FIRESIDE_ISA gewählt; der Prozessor hat %2)</translation>
    </message>
    <message>
        <source>%1 (the processor has %2, which FIRESIDE_ISA can choose)</source>
        <translation>%1 (der Prozessor hat %2, das sich mit FIRESIDE_ISA wählen lässt)</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 is not on this computer</source>
        <translation>%1 gibt es auf diesem Computer nicht</translation>
    </message>
    <message>
        <source>other devices were asked for</source>
        <translation>andere Geräte wurden verlangt</translation>
    </message>
</context>
<context>
    <name>QPlatformTheme</name>
    <message>
        <source>OK</source>
        <translation>OK</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>&amp;Yes</source>
        <translation>&amp;Ja</translation>
    </message>
    <message>
        <source>&amp;No</source>
        <translation>&amp;Nein</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>As the desktop</source>
        <translation>Wie der Desktop</translation>
    </message>
    <message>
        <source>English</source>
        <translation>English</translation>
    </message>
    <message>
        <source>Deutsch</source>
        <translation>Deutsch</translation>
    </message>
    <message>
        <source>العربية</source>
        <translation>العربية</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Hoch</translation>
    </message>
    <message>
        <source>As the &amp;desktop</source>
        <translation>Wie der &amp;Desktop</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>Dar&amp;k</source>
        <translation>Dun&amp;kel</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>&amp;Contrast</source>
        <translation>&amp;Kontrast</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>&amp;Sprache</translation>
    </message>
    <message>
        <source>&amp;Text size</source>
        <translation>&amp;Textgröße</translation>
    </message>
    <message>
        <source> pt</source>
        <translation> pt</translation>
    </message>
    <message>
        <source>&amp;Nothing moves or blinks by itself</source>
        <translation>&amp;Nichts bewegt sich oder blinkt von selbst</translation>
    </message>
    <message>
        <source>The caret, the dots of a reply that begins, and menus that fade in stand still.</source>
        <translation>Die Schreibmarke, die Punkte einer beginnenden Antwort und einblendende Menüs stehen still.</translation>
    </message>
    <message>
        <source>&amp;At most</source>
        <translation>&amp;Höchstens</translation>
    </message>
    <message>
        <source>What a model has computed of a chat is kept, so that the chat answers at once when it is opened again. What was used longest ago goes first. 0: nothing is kept on the disk.</source>
        <translation>Was ein Modell von einem Chat berechnet hat, wird aufgehoben, damit der Chat sofort antwortet, wenn er wieder geöffnet wird. Was am längsten nicht gebraucht wurde, geht zuerst. 0: Auf der Festplatte wird nichts aufgehoben.</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Nichts</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <source>Unload an unused mode&amp;l after</source>
        <translation>Unbenutztes Mode&amp;ll entladen nach</translation>
    </message>
    <message>
        <source>Its memory, on graphics cards above all, is then free for other programs. It comes back with the next message.</source>
        <translation>Sein Speicher, vor allem auf Grafikkarten, ist dann für andere Programme frei. Mit der nächsten Nachricht kommt es zurück.</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source> minutes</source>
        <translation> Minuten</translation>
    </message>
    <message>
        <source>&amp;Name chats</source>
        <translation>Chats be&amp;nennen</translation>
    </message>
    <message>
        <source>After its first reply the model gives a chat a title, when it has nothing else to do. Titles that you write stay. Models with fewer than half a billion parameters do not name chats.</source>
        <translation>Nach der ersten Antwort gibt das Modell einem Chat einen Titel, wenn es sonst nichts zu tun hat. Selbst geschriebene Titel bleiben. Modelle mit weniger als einer halben Milliarde Parametern benennen keine Chats.</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Graphics processor (Vulkan)</source>
        <translation>Grafikprozessor (Vulkan)</translation>
    </message>
    <message>
        <source>Processor (CPU)</source>
        <translation>Prozessor (CPU)</translation>
    </message>
    <message>
        <source>F16 (usual)</source>
        <translation>F16 (üblich)</translation>
    </message>
    <message>
        <source>Q8_0 (half the memory)</source>
        <translation>Q8_0 (halb so viel Speicher)</translation>
    </message>
    <message>
        <source>F32 (exact, twice the memory)</source>
        <translation>F32 (exakt, doppelt so viel Speicher)</translation>
    </message>
    <message>
        <source>Keep as they are</source>
        <translation>Lassen, wie sie sind</translation>
    </message>
    <message>
        <source>Q8_0 (8.5 bits each)</source>
        <translation>Q8_0 (je 8,5 Bit)</translation>
    </message>
    <message>
        <source>Q6_K (6.6 bits)</source>
        <translation>Q6_K (6,6 Bit)</translation>
    </message>
    <message>
        <source>Q5_K_M (5.7 bits)</source>
        <translation>Q5_K_M (5,7 Bit)</translation>
    </message>
    <message>
        <source>Q4_K_M (4.9 bits)</source>
        <translation>Q4_K_M (4,9 Bit)</translation>
    </message>
    <message>
        <source>&amp;Run on</source>
        <translation>&amp;Ausführen auf</translation>
    </message>
    <message>
        <source>Automatic takes the graphics processor when it is usable and the model fits, else the CPU, and always says why.</source>
        <translation>Automatisch nimmt den Grafikprozessor, wenn er nutzbar ist und das Modell passt, sonst die CPU, und sagt immer, warum.</translation>
    </message>
    <message>
        <source>&amp;Context</source>
        <translation>&amp;Kontext</translation>
    </message>
    <message>
        <source>How much of a chat the model can see. More needs more memory. Automatic: what the model was trained for, 8,192 tokens at most.</source>
        <translation>Wie viel von einem Chat das Modell sehen kann. Mehr braucht mehr Speicher. Automatisch: wofür das Modell trainiert wurde, höchstens 8.192 Token.</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> Token</translation>
    </message>
    <message>
        <source>Context &amp;memory</source>
        <translation>Kontext&amp;speicher</translation>
    </message>
    <message>
        <source>The number format in which the model remembers the chat.</source>
        <translation>Das Zahlenformat, in dem sich das Modell den Chat merkt.</translation>
    </message>
    <message>
        <source>&amp;Weights</source>
        <translation>&amp;Gewichte</translation>
    </message>
    <message>
        <source>What weights of 16 and 32 bits become while the model is loaded: fewer bits need less memory and answer faster. The file stays as it is; weights that are quantised in it do too.</source>
        <translation>Was aus Gewichten mit 16 und 32 Bit beim Laden wird: Weniger Bits brauchen weniger Speicher und antworten schneller. Die Datei bleibt, wie sie ist; ebenso Gewichte, die darin schon quantisiert sind.</translation>
    </message>
    <message>
        <source>&amp;Threads</source>
        <translation>&amp;Threads</translation>
    </message>
    <message>
        <source>Processor threads that calculate. Automatic: one for each physical core, of several kinds the fast ones.</source>
        <translation>Prozessor-Threads, die rechnen. Automatisch: einer für jeden physischen Kern, bei mehreren Arten die schnellen.</translation>
    </message>
    <message>
        <source>Dev&amp;ices to use</source>
        <translation>Zu benutzende Ge&amp;räte</translation>
    </message>
    <message>
        <source>The first that has room is taken. A limit is what Fireside may take of a device&apos;s memory, a reserve what stays free for other programs.</source>
        <translation>Das erste, das Platz hat, wird genommen. Eine Grenze ist, was Fireside vom Speicher eines Geräts nehmen darf, eine Reserve, was für andere Programme frei bleibt.</translation>
    </message>
    <message>
        <source>Take the fastest of t&amp;hese, not the first</source>
        <translation>Das sc&amp;hnellste davon nehmen, nicht das erste</translation>
    </message>
    <message>
        <source>The order counts as long as their speeds are unknown. Where no device is singled out above, the fastest is taken anyway.</source>
        <translation>Die Reihenfolge zählt, solange die Geschwindigkeiten unbekannt sind. Ist oben kein Gerät hervorgehoben, wird ohnehin das schnellste genommen.</translation>
    </message>
    <message>
        <source>La&amp;yers on graphics processors</source>
        <translation>Sch&amp;ichten auf Grafikprozessoren</translation>
    </message>
    <message>
        <source>The other layers of a model run on the CPU. Automatic: as is best.</source>
        <translation>Die anderen Schichten eines Modells laufen auf der CPU. Automatisch: wie es am besten ist.</translation>
    </message>
    <message>
        <source>Layers with their experts on &amp;graphics processors</source>
        <translation>Schichten mit ihren Experten auf &amp;Grafikprozessoren</translation>
    </message>
    <message>
        <source>Of mixtures of experts: everything else of all layers runs on a graphics processor, the experts of the other layers on the CPU. Automatic: as is best.</source>
        <translation>Bei Mischungen von Experten: Alles andere aller Schichten läuft auf einem Grafikprozessor, die Experten der übrigen Schichten auf der CPU. Automatisch: wie es am besten ist.</translation>
    </message>
    <message>
        <source>The context memory may &amp;become smaller</source>
        <translation>Der Kontextspeicher darf kleiner &amp;werden</translation>
    </message>
    <message>
        <source>Q8_0 takes half the memory of F16. Only where the model does not fit on a graphics processor otherwise.</source>
        <translation>Q8_0 braucht halb so viel Speicher wie F16. Nur wo das Modell sonst nicht auf einen Grafikprozessor passt.</translation>
    </message>
    <message>
        <source>The context may shrin&amp;k to</source>
        <translation>Der Kontext darf schrum&amp;pfen auf</translation>
    </message>
    <message>
        <source>Only where the model does not fit on a graphics processor otherwise.</source>
        <translation>Nur wo das Modell sonst nicht auf einen Grafikprozessor passt.</translation>
    </message>
    <message>
        <source>E&amp;xactly so, or not at all</source>
        <translation>Genau s&amp;o oder gar nicht</translation>
    </message>
    <message>
        <source>What cannot be met is an error, and no layer goes to the CPU unasked.</source>
        <translation>Was nicht zu erfüllen ist, ist ein Fehler, und keine Schicht geht ungefragt auf die CPU.</translation>
    </message>
    <message>
        <source>As the model likes</source>
        <translation>Wie das Modell möchte</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Ein</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>Gering</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>Leave out the oldest messages</source>
        <translation>Die ältesten Nachrichten weglassen</translation>
    </message>
    <message>
        <source>Summarise the oldest messages</source>
        <translation>Die ältesten Nachrichten zusammenfassen</translation>
    </message>
    <message>
        <source>System &amp;prompt</source>
        <translation>System&amp;prompt</translation>
    </message>
    <message>
        <source>Told to the model before every chat. Empty: the model&apos;s own.</source>
        <translation>Wird dem Modell vor jedem Chat gesagt. Leer: der des Modells selbst.</translation>
    </message>
    <message>
        <source>For example: You are a patient teacher. Answer briefly.</source>
        <translation>Zum Beispiel: Du bist eine geduldige Lehrerin. Antworte kurz.</translation>
    </message>
    <message>
        <source>&amp;Temperature</source>
        <translation>&amp;Temperatur</translation>
    </message>
    <message>
        <source>How freely words are chosen. 0: always the likeliest one; above 1 it gets wild.</source>
        <translation>Wie frei Wörter gewählt werden. 0: immer das wahrscheinlichste; über 1 wird es wild.</translation>
    </message>
    <message>
        <source>Top-&amp;k</source>
        <translation>Top-&amp;k</translation>
    </message>
    <message>
        <source>Choose only among this many of the likeliest words. 0: off.</source>
        <translation>Nur unter so vielen der wahrscheinlichsten Wörter wählen. 0: aus.</translation>
    </message>
    <message>
        <source>T&amp;op-p</source>
        <translation>T&amp;op-p</translation>
    </message>
    <message>
        <source>Choose only among the likeliest words that together reach this probability. 1: off.</source>
        <translation>Nur unter den wahrscheinlichsten Wörtern wählen, die zusammen diese Wahrscheinlichkeit erreichen. 1: aus.</translation>
    </message>
    <message>
        <source>M&amp;in-p</source>
        <translation>M&amp;in-p</translation>
    </message>
    <message>
        <source>Leave out words less likely than this part of the likeliest one. 0: off.</source>
        <translation>Wörter weglassen, die weniger wahrscheinlich sind als dieser Teil des wahrscheinlichsten. 0: aus.</translation>
    </message>
    <message>
        <source>Repetition p&amp;enalty</source>
        <translation>&amp;Wiederholungsabzug</translation>
    </message>
    <message>
        <source>Makes words that were used already less likely. 1: off; 1.1 is mild.</source>
        <translation>Macht schon benutzte Wörter weniger wahrscheinlich. 1: aus; 1,1 ist mild.</translation>
    </message>
    <message>
        <source>&amp;Seed</source>
        <translation>&amp;Seed</translation>
    </message>
    <message>
        <source>The same number, question and settings give the same reply. Empty: a new one each time, kept with the reply.</source>
        <translation>Dieselbe Zahl, Frage und Einstellungen geben dieselbe Antwort. Leer: jedes Mal eine neue, die bei der Antwort aufgehoben wird.</translation>
    </message>
    <message>
        <source>New for each reply</source>
        <translation>Neu für jede Antwort</translation>
    </message>
    <message>
        <source>&amp;Longest reply</source>
        <translation>&amp;Längste Antwort</translation>
    </message>
    <message>
        <source>In tokens; a token is about three quarters of an English word. 0: until the context is full.</source>
        <translation>In Token; ein Token ist etwa drei Viertel eines englischen Wortes. 0: bis der Kontext voll ist.</translation>
    </message>
    <message>
        <source>Until the context is full</source>
        <translation>Bis der Kontext voll ist</translation>
    </message>
    <message>
        <source>Stop strin&amp;gs</source>
        <translation>Stoppte&amp;xte</translation>
    </message>
    <message>
        <source>One per line: a reply ends before the first of these. \n stands for a line break, \t for a tab, \\ for a backslash.</source>
        <translation>Einer je Zeile: Eine Antwort endet vor dem ersten davon. \n steht für einen Zeilenumbruch, \t für einen Tabulator, \\ für einen umgekehrten Schrägstrich.</translation>
    </message>
    <message>
        <source>Thi&amp;nking</source>
        <translation>De&amp;nken</translation>
    </message>
    <message>
        <source>Whether the model thinks before it answers. Only some models can be told.</source>
        <translation>Ob das Modell denkt, bevor es antwortet. Nur manchen Modellen kann man das sagen.</translation>
    </message>
    <message>
        <source>Thinking e&amp;ffort</source>
        <translation>Denk&amp;aufwand</translation>
    </message>
    <message>
        <source>How thoroughly the model thinks. Only some models can be told.</source>
        <translation>Wie gründlich das Modell denkt. Nur manchen Modellen kann man das sagen.</translation>
    </message>
    <message>
        <source>Longest t&amp;houghts</source>
        <translation>Längste &amp;Gedanken</translation>
    </message>
    <message>
        <source>In tokens: then the model stops thinking and answers. 0: no limit.</source>
        <translation>In Token: Dann hört das Modell auf zu denken und antwortet. 0: keine Grenze.</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>Keine Grenze</translation>
    </message>
    <message>
        <source>When a chat outgro&amp;ws the context</source>
        <translation>Wenn ein Chat aus dem Kontext &amp;herauswächst</translation>
    </message>
    <message>
        <source>Nothing is lost: the messages stay in the chat, and a line shows where the model&apos;s view begins. A summary is written by the model and stands in the chat.</source>
        <translation>Nichts geht verloren: Die Nachrichten bleiben im Chat, und eine Linie zeigt, wo die Sicht des Modells beginnt. Eine Zusammenfassung schreibt das Modell; sie steht im Chat.</translation>
    </message>
    <message>
        <source>&amp;Rounds of tools</source>
        <translation>&amp;Runden von Werkzeugen</translation>
    </message>
    <message>
        <source>How often in a row the model may call tools before it has to answer a message.</source>
        <translation>Wie oft hintereinander das Modell Werkzeuge aufrufen darf, bevor es eine Nachricht beantworten muss.</translation>
    </message>
    <message>
        <source>&amp;Wait for a tool</source>
        <translation>&amp;Warten auf ein Werkzeug</translation>
    </message>
    <message>
        <source>A call that gives no sign for so long is given up.</source>
        <translation>Ein Aufruf, der so lange kein Zeichen gibt, wird aufgegeben.</translation>
    </message>
    <message>
        <source> seconds</source>
        <translation> Sekunden</translation>
    </message>
    <message>
        <source>Mirostat 1</source>
        <translation>Mirostat 1</translation>
    </message>
    <message>
        <source>Mirostat 2</source>
        <translation>Mirostat 2</translation>
    </message>
    <message>
        <source>&amp;Frequency penalty</source>
        <translation>&amp;Häufigkeitsabzug</translation>
    </message>
    <message>
        <source>Makes a word less likely with every time it was used. 0: off; below 0 likelier.</source>
        <translation>Macht ein Wort mit jeder Benutzung weniger wahrscheinlich. 0: aus; unter 0 wahrscheinlicher.</translation>
    </message>
    <message>
        <source>Presen&amp;ce penalty</source>
        <translation>&amp;Anwesenheitsabzug</translation>
    </message>
    <message>
        <source>Makes a word less likely once it was used, however often. 0: off; below 0 likelier.</source>
        <translation>Macht ein Wort weniger wahrscheinlich, sobald es benutzt wurde, wie oft auch immer. 0: aus; unter 0 wahrscheinlicher.</translation>
    </message>
    <message>
        <source>Penalties look &amp;back</source>
        <translation>Abzüge &amp;blicken zurück</translation>
    </message>
    <message>
        <source>How many of the latest tokens the penalties count.</source>
        <translation>Wie viele der letzten Token die Abzüge zählen.</translation>
    </message>
    <message>
        <source>Typical-p</source>
        <translation>Typical-p</translation>
    </message>
    <message>
        <source>Choose only among the words that are about as surprising as can be expected here, as many as reach this probability. 1: off.</source>
        <translation>Nur unter den Wörtern wählen, die etwa so überraschend sind, wie hier zu erwarten, so viele, dass sie diese Wahrscheinlichkeit erreichen. 1: aus.</translation>
    </message>
    <message>
        <source>Top-n-sigma</source>
        <translation>Top-n-sigma</translation>
    </message>
    <message>
        <source>Leave out words that lie further below the likeliest one than this many standard deviations. 0: off.</source>
        <translation>Wörter weglassen, die um mehr als so viele Standardabweichungen unter dem wahrscheinlichsten liegen. 0: aus.</translation>
    </message>
    <message>
        <source>XTC probability</source>
        <translation>XTC-Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>How often the likeliest words are left out, so that another good one is taken. 0: off.</source>
        <translation>Wie oft die wahrscheinlichsten Wörter weggelassen werden, damit ein anderes gutes genommen wird. 0: aus.</translation>
    </message>
    <message>
        <source>XTC threshold</source>
        <translation>XTC-Schwelle</translation>
    </message>
    <message>
        <source>Only words at least as likely as this are left out, and one of them always stays. Above 0.5 nothing is.</source>
        <translation>Nur Wörter, die mindestens so wahrscheinlich sind, werden weggelassen, und eines davon bleibt immer. Über 0,5 keines.</translation>
    </message>
    <message>
        <source>Dynamic temperature</source>
        <translation>Dynamische Temperatur</translation>
    </message>
    <message>
        <source>The temperature is so much lower where the model is sure, and so much higher where it is not. 0: off.</source>
        <translation>Die Temperatur ist so viel niedriger, wo das Modell sicher ist, und so viel höher, wo nicht. 0: aus.</translation>
    </message>
    <message>
        <source>Dynamic exponent</source>
        <translation>Dynamischer Exponent</translation>
    </message>
    <message>
        <source>Above 1 the dynamic temperature stays low for longer, below 1 it rises soon.</source>
        <translation>Über 1 bleibt die dynamische Temperatur länger niedrig, unter 1 steigt sie bald.</translation>
    </message>
    <message>
        <source>Mirostat</source>
        <translation>Mirostat</translation>
    </message>
    <message>
        <source>Keeps the surprise of the words near a target. Then top-k, top-p, min-p and all that follows them are not used.</source>
        <translation>Hält die Überraschung der Wörter nahe an einem Ziel. Top-k, Top-p, Min-p und alles danach werden dann nicht benutzt.</translation>
    </message>
    <message>
        <source>Mirostat target</source>
        <translation>Mirostat-Ziel</translation>
    </message>
    <message>
        <source>The surprise that Mirostat aims at, in bits a token.</source>
        <translation>Die Überraschung, die Mirostat anstrebt, in Bit je Token.</translation>
    </message>
    <message>
        <source>Mirostat rate</source>
        <translation>Mirostat-Rate</translation>
    </message>
    <message>
        <source>How quickly Mirostat answers to surprises.</source>
        <translation>Wie schnell Mirostat auf Überraschungen reagiert.</translation>
    </message>
    <message>
        <source>Likelier &amp;words</source>
        <translation>Wahrscheinlichere &amp;Wörter</translation>
    </message>
    <message>
        <source>One per line, a word or its beginning and how much likelier it becomes: maybe=-5, certainly=2. -100: never, 100: always. #1234=-5 is the token with this number.</source>
        <translation>Eines je Zeile, ein Wort oder sein Anfang und wie viel wahrscheinlicher es wird: vielleicht=-5, sicher=2. -100: nie, 100: immer. #1234=-5 ist das Token mit dieser Nummer.</translation>
    </message>
    <message>
        <source>maybe=-5</source>
        <translation>vielleicht=-5</translation>
    </message>
    <message>
        <source>DRY strength</source>
        <translation>DRY-Stärke</translation>
    </message>
    <message>
        <source>Makes words less likely that would go on with a sequence that was written before. 0: off; 0.8 is usual.</source>
        <translation>Macht Wörter weniger wahrscheinlich, die eine schon geschriebene Folge fortsetzen würden. 0: aus; 0,8 ist üblich.</translation>
    </message>
    <message>
        <source>DRY base</source>
        <translation>DRY-Basis</translation>
    </message>
    <message>
        <source>How much stronger it becomes with each further token of the sequence.</source>
        <translation>Wie viel stärker es mit jedem weiteren Token der Folge wird.</translation>
    </message>
    <message>
        <source>DRY allowed length</source>
        <translation>DRY: erlaubte Länge</translation>
    </message>
    <message>
        <source>Sequences shorter than this may be repeated.</source>
        <translation>Kürzere Folgen dürfen sich wiederholen.</translation>
    </message>
    <message>
        <source>DRY looks back</source>
        <translation>DRY blickt zurück</translation>
    </message>
    <message>
        <source>How many of the latest tokens are searched for sequences. 0: all.</source>
        <translation>In wie vielen der letzten Token nach Folgen gesucht wird. 0: in allen.</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>DRY breakers</source>
        <translation>DRY-Grenzen</translation>
    </message>
    <message>
        <source>One per line: no sequence goes beyond a token that holds one of these. \n stands for a line break.</source>
        <translation>Eine je Zeile: Keine Folge geht über ein Token hinaus, das eine davon enthält. \n steht für einen Zeilenumbruch.</translation>
    </message>
    <message>
        <source>This computer only</source>
        <translation>Nur dieser Computer</translation>
    </message>
    <message>
        <source>Other computers, too (needs a key)</source>
        <translation>Auch andere Computer (braucht einen Schlüssel)</translation>
    </message>
    <message>
        <source>&amp;Let other programs use the model</source>
        <translation>Andere Programme das &amp;Modell benutzen lassen</translation>
    </message>
    <message>
        <source>They can ask the model that is loaded here, in the way of OpenAI&apos;s and Anthropic&apos;s APIs. They see none of your chats, and nothing of what they ask is stored or logged. Your own chats come first.</source>
        <translation>Sie können das hier geladene Modell fragen, so wie es die Schnittstellen von OpenAI und Anthropic vorsehen. Sie sehen keinen Ihrer Chats, und nichts von dem, was sie fragen, wird gespeichert oder aufgezeichnet. Ihre eigenen Chats kommen zuerst.</translation>
    </message>
    <message>
        <source>&amp;Reachable from</source>
        <translation>E&amp;rreichbar von</translation>
    </message>
    <message>
        <source>Other computers on the network are let in only with a key of at least 16 characters. What they send is not encrypted.</source>
        <translation>Andere Computer im Netz werden nur mit einem Schlüssel von mindestens 16 Zeichen eingelassen. Was sie senden, ist nicht verschlüsselt.</translation>
    </message>
    <message>
        <source>&amp;Port</source>
        <translation>&amp;Port</translation>
    </message>
    <message>
        <source>Where programs look for the server.</source>
        <translation>Wo Programme den Server suchen.</translation>
    </message>
    <message>
        <source>Replies at &amp;once</source>
        <translation>Antworten &amp;zugleich</translation>
    </message>
    <message>
        <source>Besides the one in the window. Further requests wait for their turn.</source>
        <translation>Neben der im Fenster. Weitere Anfragen warten, bis sie an der Reihe sind.</translation>
    </message>
    <message>
        <source>&amp;Web pages that may ask</source>
        <translation>&amp;Webseiten, die fragen dürfen</translation>
    </message>
    <message>
        <source>Where such a page comes from, one to a line. All others are refused, so that no page you visit can use the model.</source>
        <translation>Woher eine solche Seite kommt, eine je Zeile. Alle anderen werden abgewiesen, sodass keine besuchte Seite das Modell benutzen kann.</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>Anweisungen</translation>
    </message>
    <message>
        <source>Choice of words</source>
        <translation>Wortwahl</translation>
    </message>
    <message>
        <source>Repetition</source>
        <translation>Wiederholung</translation>
    </message>
    <message>
        <source>Length and end</source>
        <translation>Länge und Ende</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Denken</translation>
    </message>
    <message>
        <source>Further ways to choose words</source>
        <translation>Weitere Arten der Wortwahl</translation>
    </message>
    <message>
        <source>Repeated sequences (DRY)</source>
        <translation>Wiederholte Folgen (DRY)</translation>
    </message>
    <message>
        <source>http://localhost:3000</source>
        <translation>http://localhost:3000</translation>
    </message>
</context>
<context>
    <name>fireside::AppSettings</name>
    <message>
        <source>The settings file was damaged</source>
        <translation>Die Einstellungsdatei war beschädigt</translation>
    </message>
    <message>
        <source>The settings file belongs to a newer version of the program</source>
        <translation>Die Einstellungsdatei gehört zu einer neueren Version des Programms</translation>
    </message>
    <message>
        <source>Settings cannot be stored: %1 cannot be written.</source>
        <translation>Einstellungen können nicht gespeichert werden: %1 lässt sich nicht schreiben.</translation>
    </message>
    <message>
        <source>%1. Defaults are used, the old file was kept as %2.</source>
        <translation>%1. Es gelten die Vorgaben, die alte Datei wurde als %2 aufgehoben.</translation>
    </message>
    <message>
        <source>%1 and cannot be renamed. Defaults are used and changes are not stored.</source>
        <translation>%1 und lässt sich nicht umbenennen. Es gelten die Vorgaben, und Änderungen werden nicht gespeichert.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>Voreinstellungen</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>%1 cannot be written.</source>
        <translation>%1 kann nicht geschrieben werden.</translation>
    </message>
</context>
<context>
    <name>fireside::AppearancePage</name>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Why is the sky blue?</source>
        <translation>Warum ist der Himmel blau?</translation>
    </message>
    <message>
        <source>Air scatters short, blue waves of sunlight far more than long, red ones, so blue light reaches the eye from every direction.</source>
        <translation>Luft streut kurze, blaue Wellen des Sonnenlichts viel stärker als lange, rote, und so erreicht blaues Licht das Auge aus allen Richtungen.</translation>
    </message>
    <message>
        <source>12.3 tok/s · 41 tokens</source>
        <translation>12,3 Tok/s · 41 Token</translation>
    </message>
</context>
<context>
    <name>fireside::AttachmentList</name>
    <message>
        <source>Attached files</source>
        <translation>Angehängte Dateien</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>Remove this file</source>
        <translation>Diese Datei entfernen</translation>
    </message>
    <message>
        <source>Remove “%1”</source>
        <translation>„%1“ entfernen</translation>
    </message>
</context>
<context>
    <name>fireside::AuthTexts</name>
    <message>
        <source>“%1” is no address that can be used</source>
        <translation>„%1“ ist keine brauchbare Adresse</translation>
    </message>
    <message>
        <source>%1 is without encryption; only https can be used</source>
        <translation>%1 ist unverschlüsselt; nur https geht</translation>
    </message>
    <message>
        <source>%1 is in your own network, where a server elsewhere has nothing to ask for</source>
        <translation>%1 liegt in Ihrem eigenen Netz, in dem ein Server von anderswo nichts zu suchen hat</translation>
    </message>
    <message>
        <source>sign-in for tools of %1</source>
        <translation>Anmeldung für Werkzeuge von %1</translation>
    </message>
    <message>
        <source>it wants to be signed in to again and again</source>
        <translation>er verlangt immer wieder eine Anmeldung</translation>
    </message>
    <message>
        <source>one signs in over https only</source>
        <translation>angemeldet wird nur über https</translation>
    </message>
    <message>
        <source>it refuses the sign-in that it has just got</source>
        <translation>er lehnt die Anmeldung ab, die er eben bekommen hat</translation>
    </message>
    <message>
        <source>it wants you to sign in, but: %1</source>
        <translation>er verlangt eine Anmeldung, aber: %1</translation>
    </message>
    <message>
        <source>it refuses this although it was given the rights that it asks for (%1)</source>
        <translation>er lehnt das ab, obwohl er die verlangten Rechte bekommen hat (%1)</translation>
    </message>
    <message>
        <source>it refuses the token that it has just got</source>
        <translation>er lehnt das Token ab, das er eben bekommen hat</translation>
    </message>
    <message>
        <source>HTTP %1</source>
        <translation>HTTP %1</translation>
    </message>
    <message>
        <source>no token was given: %1</source>
        <translation>es wurde kein Token ausgestellt: %1</translation>
    </message>
    <message>
        <source>Fireside is offline</source>
        <translation>Fireside ist offline</translation>
    </message>
    <message>
        <source>you are not signed in</source>
        <translation>Sie sind nicht angemeldet</translation>
    </message>
    <message>
        <source>the answer does not come from %1, which was asked</source>
        <translation>die Antwort kommt nicht von %1, der gefragt wurde</translation>
    </message>
    <message>
        <source>access was not granted</source>
        <translation>der Zugriff wurde nicht gewährt</translation>
    </message>
    <message>
        <source>it was refused: %1</source>
        <translation>es wurde abgelehnt: %1</translation>
    </message>
    <message>
        <source>the browser came back without a code</source>
        <translation>der Browser kam ohne Code zurück</translation>
    </message>
    <message>
        <source>there is no keyring here</source>
        <translation>hier gibt es keinen Schlüsselbund</translation>
    </message>
    <message>
        <source>it does not say where one signs in</source>
        <translation>er sagt nicht, wo man sich anmeldet</translation>
    </message>
    <message>
        <source>%1 does not say how one signs in</source>
        <translation>%1 sagt nicht, wie man sich anmeldet</translation>
    </message>
    <message>
        <source>its description is about another server, “%1”</source>
        <translation>seine Beschreibung handelt von einem anderen Server, „%1“</translation>
    </message>
    <message>
        <source>%1 describes itself as “%2”</source>
        <translation>%1 beschreibt sich als „%2“</translation>
    </message>
    <message>
        <source>it does not announce PKCE (S256), without which signing in is not safe</source>
        <translation>er kündigt PKCE (S256) nicht an, ohne das eine Anmeldung nicht sicher ist</translation>
    </message>
    <message>
        <source>the registration has no usable client ID</source>
        <translation>die Registrierung hat keine brauchbare Client-ID</translation>
    </message>
    <message>
        <source>the answer holds no usable token</source>
        <translation>die Antwort enthält kein brauchbares Token</translation>
    </message>
    <message>
        <source>the token is of the kind “%1”, which Fireside does not know</source>
        <translation>das Token ist von der Art „%1“, die Fireside nicht kennt</translation>
    </message>
    <message>
        <source>the browser has not come back</source>
        <translation>der Browser ist nicht zurückgekommen</translation>
    </message>
    <message>
        <source>no port of this computer is free: %1</source>
        <translation>auf diesem Rechner ist kein Port frei: %1</translation>
    </message>
    <message>
        <source>port %1 of this computer is taken by another program</source>
        <translation>Port %1 dieses Rechners ist von einem anderen Programm belegt</translation>
    </message>
    <message>
        <source>%1 does not register programs by itself: enter the client ID that it has given you in the server&apos;s settings</source>
        <translation>%1 registriert Programme nicht von selbst: Tragen Sie die Client-ID, die Sie dort bekommen haben, in den Einstellungen des Servers ein</translation>
    </message>
    <message>
        <source>Fireside could not be registered: %1</source>
        <translation>Fireside konnte nicht registriert werden: %1</translation>
    </message>
    <message>
        <source>the answer is not the JSON that it should be</source>
        <translation>die Antwort ist nicht das JSON, das sie sein sollte</translation>
    </message>
    <message>
        <source>Signed in</source>
        <translation>Angemeldet</translation>
    </message>
    <message>
        <source>You can close this page and go back to Fireside.</source>
        <translation>Diese Seite kann geschlossen werden; weiter geht es in Fireside.</translation>
    </message>
    <message>
        <source>Not signed in</source>
        <translation>Nicht angemeldet</translation>
    </message>
    <message>
        <source>You can close this page. Fireside says what went wrong.</source>
        <translation>Diese Seite kann geschlossen werden. Fireside sagt, was nicht ging.</translation>
    </message>
    <message>
        <source>the key in %1 cannot be read: %2</source>
        <translation>der Schlüssel in %1 lässt sich nicht lesen: %2</translation>
    </message>
    <message>
        <source>%1 holds no key of the curve P-256 (ES256) without a password</source>
        <translation>%1 enthält keinen Schlüssel der Kurve P-256 (ES256) ohne Passwort</translation>
    </message>
    <message>
        <source>sign-out from tools of %1</source>
        <translation>Abmeldung von Werkzeugen von %1</translation>
    </message>
</context>
<context>
    <name>fireside::BackendPanel</name>
    <message>
        <source>Devices of this computer</source>
        <translation>Geräte dieses Computers</translation>
    </message>
    <message>
        <source>These are &amp;for:</source>
        <translation>Sie gelten &amp;für:</translation>
    </message>
    <message>
        <source>What these settings are for</source>
        <translation>Wofür diese Einstellungen gelten</translation>
    </message>
    <message>
        <source>Every model</source>
        <translation>Jedes Modell</translation>
    </message>
    <message>
        <source>“%1” alone</source>
        <translation>Nur „%1“</translation>
    </message>
    <message>
        <source>&amp;Use those of every model</source>
        <translation>Die für &amp;jedes Modell benutzen</translation>
    </message>
    <message>
        <source>&amp;Use defaults</source>
        <translation>&amp;Vorgaben benutzen</translation>
    </message>
    <message>
        <source>Will it fit: %1</source>
        <translation>Ob es passt: %1</translation>
    </message>
    <message>
        <source>Reload model &amp;now</source>
        <translation>Modell jetzt &amp;neu laden</translation>
    </message>
    <message>
        <source>This computer&apos;s devices are still being examined.</source>
        <translation>Die Geräte dieses Computers werden noch untersucht.</translation>
    </message>
    <message>
        <source>Models run on the processor, even when a graphics processor could take them.</source>
        <translation>Modelle laufen auf dem Prozessor, auch wenn ein Grafikprozessor sie nehmen könnte.</translation>
    </message>
    <message>
        <source>Models run on %1. A model that does not fit is an error, not a silent change to the CPU.</source>
        <translation>Modelle laufen auf %1. Ein Modell, das nicht passt, ist ein Fehler und kein stiller Wechsel zur CPU.</translation>
    </message>
    <message>
        <source>Models run on the CPU: %1 is a software device, slower than the CPU itself.</source>
        <translation>Modelle laufen auf der CPU: %1 ist ein Software-Gerät und langsamer als die CPU selbst.</translation>
    </message>
    <message>
        <source>Models that fit run on %1, others on the CPU.</source>
        <translation>Modelle, die passen, laufen auf %1, andere auf der CPU.</translation>
    </message>
    <message>
        <source>Models run on the CPU, because %1.</source>
        <translation>Modelle laufen auf der CPU, denn %1.</translation>
    </message>
    <message>
        <source>Warning: %1</source>
        <translation>Warnung: %1</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>Das Modell wird geladen…</translation>
    </message>
    <message>
        <source>“%1” keeps running as it was loaded. Reloading it with this choice would fail.</source>
        <translation>„%1“ läuft weiter, wie es geladen wurde. Es mit dieser Wahl neu zu laden würde misslingen.</translation>
    </message>
    <message>
        <source>“%1” was loaded with other settings. Reloading stops the running reply; its text stays.</source>
        <translation>„%1“ wurde mit anderen Einstellungen geladen. Neu laden beendet die laufende Antwort; ihr Text bleibt.</translation>
    </message>
    <message>
        <source>“%1” was loaded with other settings. Reload it to use these.</source>
        <translation>„%1“ wurde mit anderen Einstellungen geladen. Neu laden, um diese zu benutzen.</translation>
    </message>
    <message>
        <source>Looking at this computer&apos;s processors…</source>
        <translation>Die Prozessoren dieses Computers werden angesehen…</translation>
    </message>
    <message>
        <source>available</source>
        <translation>verfügbar</translation>
    </message>
    <message>
        <source>not available</source>
        <translation>nicht verfügbar</translation>
    </message>
    <message>
        <source>%1 – not available</source>
        <translation>%1 – nicht verfügbar</translation>
    </message>
    <message>
        <source>Details…</source>
        <translation>Einzelheiten…</translation>
    </message>
    <message>
        <source>Details of %1</source>
        <translation>Einzelheiten zu %1</translation>
    </message>
    <message>
        <source>no graphics processor is among the devices to use</source>
        <translation>unter den gewählten Geräten ist kein Grafikprozessor</translation>
    </message>
    <message>
        <source>no layers on graphics processors were asked for</source>
        <translation>für Grafikprozessoren wurden keine Schichten verlangt</translation>
    </message>
    <message>
        <source>no graphics processor was found</source>
        <translation>es wurde kein Grafikprozessor gefunden</translation>
    </message>
    <message>
        <source>Vulkan cannot be used on this computer: %1.
With this choice no model will load. Choose Automatic to run on the CPU meanwhile.</source>
        <translation>Vulkan kann auf diesem Computer nicht benutzt werden: %1.
Mit dieser Wahl lädt kein Modell. Mit „Automatisch“ läuft es inzwischen auf der CPU.</translation>
    </message>
    <message>
        <source>Load model &amp;now</source>
        <translation>Modell &amp;jetzt laden</translation>
    </message>
    <message>
        <source>“%1” is not loaded. Load it with these settings.</source>
        <translation>„%1“ ist nicht geladen. Mit diesen Einstellungen laden.</translation>
    </message>
    <message>
        <source>Up to %1 of a model&apos;s layers run on graphics processors, the others on the CPU.</source>
        <translation>Bis zu %1 Schichten eines Modells laufen auf Grafikprozessoren, die übrigen auf der CPU.</translation>
    </message>
</context>
<context>
    <name>fireside::BuiltinTools</name>
    <message>
        <source>Calculator</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>Date and time</source>
        <translation>Datum und Uhrzeit</translation>
    </message>
    <message>
        <source>List a folder</source>
        <translation>Ordner auflisten</translation>
    </message>
    <message>
        <source>Read a file</source>
        <translation>Datei lesen</translation>
    </message>
    <message>
        <source>Search files</source>
        <translation>Dateien durchsuchen</translation>
    </message>
    <message>
        <source>the arguments are no JSON object</source>
        <translation>die Argumente sind kein JSON-Objekt</translation>
    </message>
    <message>
        <source>there is no such tool</source>
        <translation>ein solches Werkzeug gibt es nicht</translation>
    </message>
</context>
<context>
    <name>fireside::Calculator</name>
    <message>
        <source>a function has no value there</source>
        <translation>eine Funktion hat dort keinen Wert</translation>
    </message>
    <message>
        <source>a whole number is needed</source>
        <translation>eine ganze Zahl ist nötig</translation>
    </message>
    <message>
        <source>the root of a negative number is no real number</source>
        <translation>die Wurzel einer negativen Zahl ist keine reelle Zahl</translation>
    </message>
    <message>
        <source>digits to round to go from 0 to 15</source>
        <translation>gerundet wird auf 0 bis 15 Stellen</translation>
    </message>
    <message>
        <source>“%1” is not understood</source>
        <translation>„%1“ ist nicht verständlich</translation>
    </message>
    <message>
        <source>the expression ends too early</source>
        <translation>der Ausdruck endet zu früh</translation>
    </message>
    <message>
        <source>a bracket is not closed</source>
        <translation>eine Klammer ist nicht geschlossen</translation>
    </message>
    <message>
        <source>the expression is nested too deeply</source>
        <translation>der Ausdruck ist zu tief verschachtelt</translation>
    </message>
    <message>
        <source>a number has no digits</source>
        <translation>eine Zahl hat keine Ziffern</translation>
    </message>
    <message>
        <source>“%1” is no number</source>
        <translation>„%1“ ist keine Zahl</translation>
    </message>
    <message>
        <source>“%1” is not known; there are: %2</source>
        <translation>„%1“ ist nicht bekannt; es gibt: %2</translation>
    </message>
    <message>
        <source>“%1” needs its arguments in brackets</source>
        <translation>„%1“ braucht seine Argumente in Klammern</translation>
    </message>
    <message>
        <source>“%1” takes another number of arguments</source>
        <translation>„%1“ nimmt eine andere Anzahl von Argumenten</translation>
    </message>
    <message>
        <source>the expression has %1 characters; it may have %2</source>
        <translation>der Ausdruck hat %1 Zeichen; er darf %2 haben</translation>
    </message>
    <message>
        <source>%1 (at character %2)</source>
        <translation>%1 (bei Zeichen %2)</translation>
    </message>
    <message>
        <source>division by zero</source>
        <translation>Division durch null</translation>
    </message>
    <message>
        <source>a power of a negative number that is no real number</source>
        <translation>eine Potenz einer negativen Zahl, die keine reelle Zahl ist</translation>
    </message>
    <message>
        <source>factorials are there of whole numbers from 0 to 170</source>
        <translation>Fakultäten gibt es von ganzen Zahlen von 0 bis 170</translation>
    </message>
    <message>
        <source>there is no such number</source>
        <translation>eine solche Zahl gibt es nicht</translation>
    </message>
    <message>
        <source>the number is too large</source>
        <translation>die Zahl ist zu groß</translation>
    </message>
</context>
<context>
    <name>fireside::Calendar</name>
    <message>
        <source>“%1” is no time zone; they are called like “Europe/Oslo”</source>
        <translation>„%1“ ist keine Zeitzone; sie heißen wie „Europe/Oslo“</translation>
    </message>
    <message>
        <source>“%1” is no date; they are written like 2026-07-28 or 2026-07-28T14:30</source>
        <translation>„%1“ ist kein Datum; man schreibt es wie 2026-07-28 oder 2026-07-28T14:30</translation>
    </message>
    <message>
        <source>that is beyond the calendar</source>
        <translation>das liegt jenseits des Kalenders</translation>
    </message>
</context>
<context>
    <name>fireside::CallBar</name>
    <message>
        <source>Arguments of the call</source>
        <translation>Argumente des Aufrufs</translation>
    </message>
    <message>
        <source>Run &amp;once</source>
        <translation>&amp;Einmal ausführen</translation>
    </message>
    <message>
        <source>This call alone</source>
        <translation>Nur diesen Aufruf</translation>
    </message>
    <message>
        <source>A&amp;llow in this chat</source>
        <translation>In diesem Chat er&amp;lauben</translation>
    </message>
    <message>
        <source>Calls of this tool in this chat run unasked, whatever their arguments</source>
        <translation>Aufrufe dieses Werkzeugs laufen in diesem Chat ungefragt, was auch immer ihre Argumente sind</translation>
    </message>
    <message>
        <source>&amp;Always allow</source>
        <translation>&amp;Immer erlauben</translation>
    </message>
    <message>
        <source>Calls of this tool run unasked in every chat, until it changes or you take it back in the settings</source>
        <translation>Aufrufe dieses Werkzeugs laufen in jedem Chat ungefragt, bis es sich ändert oder Sie es in den Einstellungen zurücknehmen</translation>
    </message>
    <message>
        <source>&amp;Do not run</source>
        <translation>&amp;Nicht ausführen</translation>
    </message>
    <message>
        <source>The model is told so, and goes on</source>
        <translation>Das Modell erfährt es und macht weiter</translation>
    </message>
    <message>
        <source>S&amp;how that chat</source>
        <translation>Jenen Chat &amp;zeigen</translation>
    </message>
    <message>
        <source>built in</source>
        <translation>eingebaut</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>The model wants to call %1, %2. May it run?</source>
        <translation>Das Modell möchte %1, %2, aufrufen. Darf es das?</translation>
    </message>
    <message>
        <source>In another chat the model wants to call %1, %2.</source>
        <translation>In einem anderen Chat möchte das Modell %1, %2, aufrufen.</translation>
    </message>
</context>
<context>
    <name>fireside::CallMessages</name>
    <message>
        <source>(It gave nothing.)</source>
        <translation>(Es gab nichts.)</translation>
    </message>
</context>
<context>
    <name>fireside::ChatController</name>
    <message>
        <source>%1 (copy)</source>
        <translation>%1 (Kopie)</translation>
    </message>
    <message>
        <source>Not run: calls in %1 replies to one message are the limit. Answer with what is known.</source>
        <translation>Nicht ausgeführt: Aufrufe in %1 Antworten auf eine Nachricht sind die Grenze. Bitte mit dem antworten, was bekannt ist.</translation>
    </message>
    <message>
        <source>Error: there is no tool called “%1”. There are: %2</source>
        <translation>Fehler: Es gibt kein Werkzeug „%1“. Es gibt: %2</translation>
    </message>
    <message>
        <source>The user did not allow this call.</source>
        <translation>Dieser Aufruf wurde nicht erlaubt.</translation>
    </message>
    <message>
        <source>The permission could not be stored: %1</source>
        <translation>Die Erlaubnis konnte nicht gespeichert werden: %1</translation>
    </message>
    <message>
        <source>The user stopped this before it gave anything.</source>
        <translation>Dies wurde gestoppt, bevor es etwas ergab.</translation>
    </message>
</context>
<context>
    <name>fireside::ChatFiles</name>
    <message>
        <source>Import chats</source>
        <translation>Chats importieren</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Reading chats…</source>
        <translation>Chats werden gelesen…</translation>
    </message>
    <message>
        <source>The chats could not be stored.</source>
        <translation>Die Chats konnten nicht gespeichert werden.</translation>
    </message>
    <message>
        <source>Chats imported: %1 (messages: %2).</source>
        <translation>Importierte Chats: %1 (Nachrichten: %2).</translation>
    </message>
    <message>
        <source>Undo the import</source>
        <translation>Import rückgängig machen</translation>
    </message>
    <message>
        <source>Export this chat</source>
        <translation>Diesen Chat exportieren</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>Everything, for importing again (*.json)</source>
        <translation>Alles, zum Wiedereinlesen (*.json)</translation>
    </message>
    <message>
        <source>PDF (*.pdf)</source>
        <translation>PDF (*.pdf)</translation>
    </message>
    <message>
        <source>Export all chats</source>
        <translation>Alle Chats exportieren</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>Chats</translation>
    </message>
    <message>
        <source>Print this chat</source>
        <translation>Diesen Chat drucken</translation>
    </message>
    <message>
        <source>Printing…</source>
        <translation>Es wird gedruckt…</translation>
    </message>
    <message>
        <source>The chat was printed.</source>
        <translation>Der Chat wurde gedruckt.</translation>
    </message>
    <message>
        <source>The chat could not be printed.</source>
        <translation>Der Chat konnte nicht gedruckt werden.</translation>
    </message>
    <message>
        <source>No installed font has these characters: %1</source>
        <translation>Keine installierte Schrift hat diese Zeichen: %1</translation>
    </message>
    <message>
        <source>not all pages could be rendered</source>
        <translation>nicht alle Seiten konnten erzeugt werden</translation>
    </message>
    <message>
        <source>there is not enough memory</source>
        <translation>der Speicher reicht nicht</translation>
    </message>
    <message>
        <source>Written to “%1”.</source>
        <translation>In „%1“ geschrieben.</translation>
    </message>
    <message>
        <source>“%1” could not be written: %2</source>
        <translation>„%1“ konnte nicht geschrieben werden: %2</translation>
    </message>
    <message>
        <source>Chats of Fireside, LM Studio, Jan, Open WebUI, ChatGPT or GPT4All (*.json *.jsonl *.zip *.chat)</source>
        <translation>Chats von Fireside, LM Studio, Jan, Open WebUI, ChatGPT oder GPT4All (*.json *.jsonl *.zip *.chat)</translation>
    </message>
    <message>
        <source>Pictures and other files that were not imported: %1.</source>
        <translation>Nicht importierte Bilder und andere Dateien: %1.</translation>
    </message>
    <message>
        <source>Messages without text that were not imported: %1.</source>
        <translation>Nicht importierte Nachrichten ohne Text: %1.</translation>
    </message>
    <message>
        <source>Further chats that were not imported: %1.</source>
        <translation>Weitere nicht importierte Chats: %1.</translation>
    </message>
    <message>
        <source>Chats updated: %1 (new messages: %2).</source>
        <translation>Aktualisierte Chats: %1 (neue Nachrichten: %2).</translation>
    </message>
    <message>
        <source>Chats already here: %1.</source>
        <translation>Schon vorhandene Chats: %1.</translation>
    </message>
</context>
<context>
    <name>fireside::ChatNamer</name>
    <message>
        <source>The loaded model is too small to name chats: it takes half a billion parameters.</source>
        <translation>Das geladene Modell ist zu klein, um Chats zu benennen: Dazu braucht es eine halbe Milliarde Parameter.</translation>
    </message>
    <message>
        <source>The chat was not named: %1</source>
        <translation>Der Chat wurde nicht benannt: %1</translation>
    </message>
    <message>
        <source>The model&apos;s answer was no title; the chat keeps its own.</source>
        <translation>Die Antwort des Modells war kein Titel; der Chat behält seinen.</translation>
    </message>
</context>
<context>
    <name>fireside::ChatPanel</name>
    <message>
        <source>Skip thinking</source>
        <translation>Denken überspringen</translation>
    </message>
    <message>
        <source>The model&apos;s thoughts end here, and it answers</source>
        <translation>Die Gedanken des Modells enden hier, und es antwortet</translation>
    </message>
    <message>
        <source>Reading the conversation… %1 %</source>
        <translation>Der Chat wird gelesen… %1 %</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Start…</translation>
    </message>
    <message>
        <source>Loading %1… %2 %</source>
        <translation>%1 wird geladen… %2 %</translation>
    </message>
    <message>
        <source>No model is loaded: choose one with Ctrl+L</source>
        <translation>Kein Modell ist geladen: mit Strg+L eines wählen</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Wird gestoppt…</translation>
    </message>
    <message>
        <source>A reply is being written</source>
        <translation>Eine Antwort wird geschrieben</translation>
    </message>
    <message>
        <source>the program</source>
        <translation>das Programm</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>Nachricht schreiben</translation>
    </message>
    <message>
        <source>Message %1</source>
        <translation>Nachricht an %1</translation>
    </message>
    <message>
        <source>This message has %1 tokens; in the model&apos;s context of %2 it may have %3.</source>
        <translation>Diese Nachricht hat %1 Token; im Kontext des Modells von %2 darf sie %3 haben.</translation>
    </message>
    <message>
        <source>Reload with a larger context</source>
        <translation>Mit größerem Kontext neu laden</translation>
    </message>
    <message>
        <source>The likeliest here; choosing one begins another version</source>
        <translation>Die wahrscheinlichsten hier; eines davon zu wählen beginnt eine andere Fassung</translation>
    </message>
    <message>
        <source>end of the reply</source>
        <translation>Ende der Antwort</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>„%1“</translation>
    </message>
    <message>
        <source>%1   %2 %</source>
        <translation>%1   %2 %</translation>
    </message>
    <message>
        <source>Waits for another reply to end…</source>
        <translation>Wartet, bis eine andere Antwort fertig ist…</translation>
    </message>
</context>
<context>
    <name>fireside::ChatSettingsDialog</name>
    <message>
        <source>Settings of this chat</source>
        <translation>Einstellungen dieses Chats</translation>
    </message>
    <message>
        <source>As in &amp;all chats</source>
        <translation>Wie in &amp;allen Chats</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
</context>
<context>
    <name>fireside::CollectionFile</name>
    <message>
        <source>It was kept as %1.</source>
        <translation>Es wurde als %1 aufgehoben.</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2.</source>
        <translation>%1 ist nicht lesbar: %2.</translation>
    </message>
    <message>
        <source>%1 has %2 bytes, more than the %3 that are read.</source>
        <translation>%1 hat %2 Bytes, mehr als die %3, die gelesen werden.</translation>
    </message>
    <message>
        <source>%1 is no valid JSON: %2.</source>
        <translation>%1 ist kein gültiges JSON: %2.</translation>
    </message>
    <message>
        <source>%1 is no file of this kind (“format” is not “%2”).</source>
        <translation>%1 ist keine Datei dieser Art („format“ ist nicht „%2“).</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2.</source>
        <translation>%1 kann nicht geschrieben werden: %2.</translation>
    </message>
</context>
<context>
    <name>fireside::ColumnHeader</name>
    <message>
        <source>Chooses the model of this column</source>
        <translation>Wählt das Modell dieser Spalte</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stop: %1</source>
        <translation>Anhalten: %1</translation>
    </message>
    <message>
        <source>Keep this one</source>
        <translation>Diese behalten</translation>
    </message>
    <message>
        <source>Keep this one: %1</source>
        <translation>Diese behalten: %1</translation>
    </message>
    <message>
        <source>Ends the comparison and goes on with this answer and its model. The other one stays as a version of it.</source>
        <translation>Beendet den Vergleich und macht mit dieser Antwort und ihrem Modell weiter. Die andere bleibt als Fassung erhalten.</translation>
    </message>
    <message numerus="yes">
        <source>%1 · %n tokens</source>
        <translation>
            <numerusform>%1 · %n Token</numerusform>
            <numerusform>%1 · %n Token</numerusform>
        </translation>
    </message>
    <message>
        <source>Loading… %1 %</source>
        <translation>Wird geladen… %1 %</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>Schreibt…</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Liest…</translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation>Kein Modell ist geladen</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Ready · %1</source>
        <translation>Bereit · %1</translation>
    </message>
    <message>
        <source>Choose a model…</source>
        <translation>Modell wählen…</translation>
    </message>
    <message>
        <source>%1 · 1 token</source>
        <translation>%1 · 1 Token</translation>
    </message>
    <message>
        <source>Chooses the model of this column: %1</source>
        <translation>Wählt das Modell dieser Spalte: %1</translation>
    </message>
    <message>
        <source>End the comparison</source>
        <translation>Vergleich beenden</translation>
    </message>
</context>
<context>
    <name>fireside::Comparison</name>
    <message>
        <source>Both models do not fit into memory together (%1): each is loaded when it is its turn.</source>
        <translation>Beide Modelle passen nicht zusammen in den Speicher (%1): Jedes wird geladen, wenn es an der Reihe ist.</translation>
    </message>
    <message>
        <source>Both models run on %1: they answer one after the other, so that neither slows the other down.</source>
        <translation>Beide Modelle laufen auf %1: Sie antworten nacheinander, damit keines das andere bremst.</translation>
    </message>
</context>
<context>
    <name>fireside::ComparisonView</name>
    <message>
        <source>End the comparison</source>
        <translation>Vergleich beenden</translation>
    </message>
    <message>
        <source>First model</source>
        <translation>Erstes Modell</translation>
    </message>
    <message>
        <source>Second model</source>
        <translation>Zweites Modell</translation>
    </message>
    <message>
        <source>Both models answer each message. The answers are versions of one chat, and both stay.</source>
        <translation>Beide Modelle beantworten jede Nachricht. Die Antworten sind Fassungen eines Chats, und beide bleiben.</translation>
    </message>
    <message>
        <source>Waits for its turn</source>
        <translation>Wartet, bis es an der Reihe ist</translation>
    </message>
    <message>
        <source>The second model has not answered yet</source>
        <translation>Das zweite Modell hat noch nicht geantwortet</translation>
    </message>
</context>
<context>
    <name>fireside::Composer</name>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>Attach text files</source>
        <translation>Textdateien anhängen</translation>
    </message>
    <message>
        <source>Stop the reply (Esc)</source>
        <translation>Antwort stoppen (Esc)</translation>
    </message>
    <message>
        <source>Stop the reply</source>
        <translation>Antwort stoppen</translation>
    </message>
    <message>
        <source>Enter sends this after the reply</source>
        <translation>Eingabe sendet dies nach der Antwort</translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation>Senden (Eingabe)</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>%1 tokens, %2 at most fit</source>
        <translation>%1 Token, höchstens %2 passen</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>%1 files at most can be attached at once.</source>
        <translation>Höchstens %1 Dateien können zugleich angehängt werden.</translation>
    </message>
</context>
<context>
    <name>fireside::ConnectionModel</name>
    <message>
        <source>runs</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>allowed</source>
        <translation>erlaubt</translation>
    </message>
    <message>
        <source>allowed: %1</source>
        <translation>erlaubt: %1</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>With</source>
        <translation>Mit</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>Empfangen</translation>
    </message>
    <message>
        <source>Allowed?</source>
        <translation>Erlaubt?</translation>
    </message>
</context>
<context>
    <name>fireside::Connections</name>
    <message>
        <source>handed over</source>
        <translation>übergeben</translation>
    </message>
    <message>
        <source>refused: Fireside is offline</source>
        <translation>verweigert: Fireside ist offline</translation>
    </message>
    <message>
        <source>the program ended</source>
        <translation>das Programm endete</translation>
    </message>
</context>
<context>
    <name>fireside::ContextQuestion</name>
    <message>
        <source>&amp;Always in this chat</source>
        <translation>&amp;Immer in diesem Chat</translation>
    </message>
    <message>
        <source>&amp;Summarise the oldest</source>
        <translation>Die ältesten &amp;zusammenfassen</translation>
    </message>
    <message>
        <source>The model writes a summary, which stands in the chat and takes their place</source>
        <translation>Das Modell schreibt eine Zusammenfassung, die im Chat steht und ihren Platz einnimmt</translation>
    </message>
    <message>
        <source>&amp;Leave out the oldest</source>
        <translation>Die ältesten &amp;weglassen</translation>
    </message>
    <message>
        <source>They stay in the chat; a line shows where the model&apos;s view begins</source>
        <translation>Sie bleiben im Chat; eine Linie zeigt, wo die Sicht des Modells beginnt</translation>
    </message>
    <message>
        <source>&amp;Edit the message</source>
        <translation>Nachricht &amp;bearbeiten</translation>
    </message>
    <message>
        <source>Nothing is sent until the message is changed</source>
        <translation>Nichts wird gesendet, bis die Nachricht geändert ist</translation>
    </message>
    <message>
        <source>The chat has outgrown the model&apos;s context: it has %1 tokens, and there is room for %2. What shall become of the oldest messages?</source>
        <translation>Der Chat ist aus dem Kontext des Modells herausgewachsen: Er hat %1 Token, und Platz ist für %2. Was soll aus den ältesten Nachrichten werden?</translation>
    </message>
    <message>
        <source>&amp;Reload with a larger context</source>
        <translation>Mit größerem Kontext neu &amp;laden</translation>
    </message>
    <message>
        <source>The model is loaded again with more room, and then answers</source>
        <translation>Das Modell wird mit mehr Platz neu geladen und antwortet dann</translation>
    </message>
    <message>
        <source>This message is too long for the model&apos;s context: with what must precede it it has %1 tokens, and there is room for %2.</source>
        <translation>Diese Nachricht ist zu lang für den Kontext des Modells: Mit dem, was vor ihr stehen muss, hat sie %1 Token, und Platz ist für %2.</translation>
    </message>
</context>
<context>
    <name>fireside::ConversationDelegate</name>
    <message>
        <source>Name of the conversation</source>
        <translation>Name des Chats</translation>
    </message>
</context>
<context>
    <name>fireside::ConversationList</name>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>New chat (Ctrl+N)</source>
        <translation>Neuer Chat (Strg+N)</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>Alle Chats durchsuchen</translation>
    </message>
    <message>
        <source>Search all conversations</source>
        <translation>Alle Chats durchsuchen</translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation>Suche leeren</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Chats</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undo the deletion</source>
        <translation>Löschen rückgängig machen</translation>
    </message>
    <message>
        <source>Your conversations will be listed here.</source>
        <translation>Hier werden Ihre Chats aufgeführt.</translation>
    </message>
    <message>
        <source>Nothing found for “%1”.</source>
        <translation>Nichts gefunden für „%1“.</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Deleted “%1”</source>
        <translation>„%1“ gelöscht</translation>
    </message>
    <message>
        <source>Deleted %1 chats</source>
        <translation>%1 Chats gelöscht</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Let the model name it</source>
        <translation>Vom Modell benennen lassen</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Duplizieren</translation>
    </message>
    <message>
        <source>Delete %1 chats</source>
        <translation>%1 Chats löschen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Move to folder</source>
        <translation>In Ordner verschieben</translation>
    </message>
    <message>
        <source>New folder…</source>
        <translation>Neuer Ordner…</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>Neuer Ordner</translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>Kein Ordner</translation>
    </message>
    <message>
        <source>Rename the folder…</source>
        <translation>Ordner umbenennen…</translation>
    </message>
    <message>
        <source>Rename the folder</source>
        <translation>Ordner umbenennen</translation>
    </message>
    <message>
        <source>Dissolve the folder</source>
        <translation>Ordner auflösen</translation>
    </message>
    <message>
        <source>Name of the folder:</source>
        <translation>Name des Ordners:</translation>
    </message>
</context>
<context>
    <name>fireside::ConversationModel</name>
    <message>
        <source>Folder %1, closed, chats: %2</source>
        <translation>Ordner %1, geschlossen, Chats: %2</translation>
    </message>
    <message>
        <source>Folder %1, chats: %2</source>
        <translation>Ordner %1, Chats: %2</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>%1, pinned</source>
        <translation>%1, angeheftet</translation>
    </message>
    <message>
        <source>%1 · pinned above: %2</source>
        <translation>%1 · oben angeheftet: %2</translation>
    </message>
    <message>
        <source>%1, a message waits to be sent</source>
        <translation>%1, eine Nachricht wartet auf das Absenden</translation>
    </message>
    <message>
        <source>A message is sent here when the reply has ended</source>
        <translation>Hier wird eine Nachricht gesendet, sobald die Antwort zu Ende ist</translation>
    </message>
</context>
<context>
    <name>fireside::ConversationStore</name>
    <message>
        <source>Chats cannot be stored on disk at the moment (%1). They are kept in memory, and storing them is tried again every few seconds.</source>
        <translation>Chats können zurzeit nicht auf der Festplatte gespeichert werden (%1). Sie bleiben im Arbeitsspeicher, und das Speichern wird alle paar Sekunden wieder versucht.</translation>
    </message>
    <message>
        <source>the tables in the file are not as this program made them</source>
        <translation>die Tabellen in der Datei sind nicht so, wie dieses Programm sie gemacht hat</translation>
    </message>
    <message>
        <source>the file is damaged and cannot be renamed</source>
        <translation>die Datei ist beschädigt und lässt sich nicht umbenennen</translation>
    </message>
    <message>
        <source>The conversation database was damaged. %1 messages were recovered; the damaged file was kept as %2.</source>
        <translation>Die Datenbank der Chats war beschädigt. %1 Nachrichten wurden gerettet; die beschädigte Datei wurde als %2 aufgehoben.</translation>
    </message>
    <message>
        <source>the folder cannot be made</source>
        <translation>der Ordner lässt sich nicht anlegen</translation>
    </message>
    <message>
        <source>a newer version of the program is using it</source>
        <translation>eine neuere Version des Programms benutzt sie</translation>
    </message>
    <message>
        <source>the folder %1 cannot be made</source>
        <translation>der Ordner %1 lässt sich nicht anlegen</translation>
    </message>
    <message>
        <source>The conversations in %1 were stored by a newer version of the program and are left alone; this version keeps its own in %2.</source>
        <translation>Die Chats in %1 wurden von einer neueren Version des Programms gespeichert und bleiben unberührt; diese Version bewahrt ihre eigenen in %2.</translation>
    </message>
    <message>
        <source>all databases belong to a newer version</source>
        <translation>alle Datenbanken gehören zu einer neueren Version</translation>
    </message>
</context>
<context>
    <name>fireside::DeviceDetailsDialog</name>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>Bericht kopieren</translation>
    </message>
    <message>
        <source>Copies everything on these pages as plain text, for a bug report</source>
        <translation>Kopiert alles auf diesen Seiten als einfachen Text, für eine Fehlermeldung</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>available</source>
        <translation>verfügbar</translation>
    </message>
    <message>
        <source>not available</source>
        <translation>nicht verfügbar</translation>
    </message>
    <message>
        <source>Looking at this computer&apos;s processors…</source>
        <translation>Die Prozessoren dieses Computers werden angesehen…</translation>
    </message>
</context>
<context>
    <name>fireside::DeviceList</name>
    <message>
        <source>%1 GB</source>
        <translation>%1 GB</translation>
    </message>
    <message>
        <source>%1 (not found)</source>
        <translation>%1 (nicht gefunden)</translation>
    </message>
    <message>
        <source>%1, at most %2</source>
        <translation>%1, höchstens %2</translation>
    </message>
    <message>
        <source>%1, %2 stay free</source>
        <translation>%1, %2 bleiben frei</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <source>Devices to use</source>
        <translation>Zu benutzende Geräte</translation>
    </message>
    <message>
        <source>Space ticks a device; Alt with the up and down keys moves it.</source>
        <translation>Die Leertaste hakt ein Gerät an; Alt mit den Pfeiltasten nach oben und unten verschiebt es.</translation>
    </message>
    <message>
        <source>Earlier (Alt+Up)</source>
        <translation>Früher (Alt+Auf)</translation>
    </message>
    <message>
        <source>Later (Alt+Down)</source>
        <translation>Später (Alt+Ab)</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>Keine Grenze</translation>
    </message>
    <message>
        <source>Limit of the chosen device</source>
        <translation>Grenze des gewählten Geräts</translation>
    </message>
    <message>
        <source>What Fireside may take of its memory at most</source>
        <translation>Was Fireside höchstens von seinem Speicher nehmen darf</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Nichts</translation>
    </message>
    <message>
        <source>Reserve of the chosen device</source>
        <translation>Reserve des gewählten Geräts</translation>
    </message>
    <message>
        <source>What stays free of its memory for other programs</source>
        <translation>Was von seinem Speicher für andere Programme frei bleibt</translation>
    </message>
    <message>
        <source>Takes at most:</source>
        <translation>Nimmt höchstens:</translation>
    </message>
    <message>
        <source>Leaves free:</source>
        <translation>Lässt frei:</translation>
    </message>
    <message>
        <source>Memory of %1:</source>
        <translation>Speicher von %1:</translation>
    </message>
</context>
<context>
    <name>fireside::DevicePage</name>
    <message>
        <source>available</source>
        <translation>verfügbar</translation>
    </message>
    <message>
        <source>not available</source>
        <translation>nicht verfügbar</translation>
    </message>
    <message>
        <source>Checks, in order</source>
        <translation>Prüfungen, der Reihe nach</translation>
    </message>
    <message>
        <source>%1 – not reached</source>
        <translation>%1 – nicht erreicht</translation>
    </message>
    <message>
        <source>Error text: %1</source>
        <translation>Fehlertext: %1</translation>
    </message>
    <message>
        <source>What to do: %1</source>
        <translation>Was zu tun ist: %1</translation>
    </message>
    <message>
        <source>Properties</source>
        <translation>Eigenschaften</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
</context>
<context>
    <name>fireside::DeviceReportText</name>
    <message>
        <source>passed</source>
        <translation>bestanden</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>nicht bestanden</translation>
    </message>
    <message>
        <source>not reached</source>
        <translation>nicht erreicht</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>%1, free part unknown</source>
        <translation>%1, freier Teil unbekannt</translation>
    </message>
    <message>
        <source>%1 free, total unknown</source>
        <translation>%1 frei, insgesamt unbekannt</translation>
    </message>
    <message>
        <source>%1, %2 of it free</source>
        <translation>%1, davon %2 frei</translation>
    </message>
</context>
<context>
    <name>fireside::Download</name>
    <message>
        <source>what came is no GGUF file</source>
        <translation>was kam, ist keine GGUF-Datei</translation>
    </message>
    <message>
        <source>it was stopped</source>
        <translation>es wurde gestoppt</translation>
    </message>
    <message>
        <source>its content is not what it should be: its %1 is %2 instead of %3</source>
        <translation>sein Inhalt ist nicht, was er sein soll: %1 ist %2 statt %3</translation>
    </message>
    <message>
        <source>a link has its name</source>
        <translation>eine Verknüpfung hat seinen Namen</translation>
    </message>
    <message>
        <source>another file has its name</source>
        <translation>eine andere Datei hat seinen Namen</translation>
    </message>
    <message>
        <source>download of %1</source>
        <translation>Download von %1</translation>
    </message>
    <message>
        <source>the server packs it (%1) though that is not wanted</source>
        <translation>der Server packt es (%1), obwohl das nicht gewünscht ist</translation>
    </message>
    <message>
        <source>it is another file on the server by now</source>
        <translation>auf dem Server ist es inzwischen eine andere Datei</translation>
    </message>
    <message>
        <source>the server sends a part where all was asked for</source>
        <translation>der Server sendet einen Teil, wo alles verlangt war</translation>
    </message>
    <message>
        <source>the server sends other parts than it is asked for, so the file comes in one piece</source>
        <translation>der Server sendet andere Teile als verlangt, deshalb kommt die Datei in einem Stück</translation>
    </message>
    <message>
        <source>the file changed on the server; it is begun anew</source>
        <translation>die Datei hat sich auf dem Server geändert; sie wird von vorn begonnen</translation>
    </message>
    <message>
        <source>it has %1 bytes on the server instead of %2</source>
        <translation>sie hat auf dem Server %1 Bytes statt %2</translation>
    </message>
    <message>
        <source>the server cannot send parts, so the file comes in one piece</source>
        <translation>der Server kann keine Teile senden, deshalb kommt die Datei in einem Stück</translation>
    </message>
    <message>
        <source>the server says that it is empty</source>
        <translation>der Server sagt, dass sie leer ist</translation>
    </message>
    <message>
        <source>the server sends more than it said</source>
        <translation>der Server sendet mehr, als er gesagt hat</translation>
    </message>
    <message>
        <source>the server sends less than it said</source>
        <translation>der Server sendet weniger, als er gesagt hat</translation>
    </message>
    <message>
        <source>the server does not say how long it is, so nobody can tell whether it is whole</source>
        <translation>der Server sagt nicht, wie lang sie ist, also weiß niemand, ob sie ganz ist</translation>
    </message>
    <message>
        <source>the file keeps changing on the server</source>
        <translation>die Datei ändert sich auf dem Server immer wieder</translation>
    </message>
    <message>
        <source>%1; it may be asked again in %2 minutes</source>
        <translation>%1; in %2 Minuten darf wieder gefragt werden</translation>
    </message>
    <message>
        <source>%1; trying again</source>
        <translation>%1; neuer Versuch</translation>
    </message>
    <message>
        <source>the disk is too full: %1 are missing, %2 are free, and %3 are to stay free</source>
        <translation>die Festplatte ist zu voll: %1 fehlen, %2 sind frei, und %3 sollen frei bleiben</translation>
    </message>
    <message>
        <source>%1; it was thrown away</source>
        <translation>%1; es wurde weggeworfen</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>die Festplatte ist voll</translation>
    </message>
    <message>
        <source>files of this size cannot be written there</source>
        <translation>Dateien dieser Größe können dort nicht geschrieben werden</translation>
    </message>
    <message>
        <source>another file has its name by now</source>
        <translation>inzwischen hat eine andere Datei seinen Namen</translation>
    </message>
    <message>
        <source>the folder %1 cannot be made</source>
        <translation>der Ordner %1 lässt sich nicht anlegen</translation>
    </message>
    <message>
        <source>another program is downloading it already</source>
        <translation>ein anderes Programm lädt es schon herunter</translation>
    </message>
    <message>
        <source>there is nothing to download</source>
        <translation>es gibt nichts herunterzuladen</translation>
    </message>
    <message>
        <source>“%1” is no name that a file may have here</source>
        <translation>„%1“ ist kein Name, den eine Datei hier haben darf</translation>
    </message>
    <message>
        <source>two files are called “%1”</source>
        <translation>zwei Dateien heißen „%1“</translation>
    </message>
    <message>
        <source>“%1” is a file and a folder</source>
        <translation>„%1“ ist eine Datei und ein Ordner</translation>
    </message>
    <message>
        <source>this is no address of the form https://…</source>
        <translation>dies ist keine Adresse der Form https://…</translation>
    </message>
    <message>
        <source>this is no access token</source>
        <translation>dies ist kein Zugangsschlüssel</translation>
    </message>
    <message>
        <source>%1 of its %2 parts are missing in the repository</source>
        <translation>%1 seiner %2 Teile fehlen im Repository</translation>
    </message>
    <message>
        <source>this is no address</source>
        <translation>dies ist keine Adresse</translation>
    </message>
    <message>
        <source>addresses with a user&apos;s name or password are not used</source>
        <translation>Adressen mit Benutzernamen oder Passwort werden nicht benutzt</translation>
    </message>
    <message>
        <source>the address does not end in the name of a .gguf file</source>
        <translation>die Adresse endet nicht auf den Namen einer .gguf-Datei</translation>
    </message>
    <message>
        <source>only https and http addresses can be used</source>
        <translation>nur https- und http-Adressen sind möglich</translation>
    </message>
</context>
<context>
    <name>fireside::DownloadList</name>
    <message>
        <source>it is in the list of downloads already</source>
        <translation>es ist schon in der Liste der Downloads</translation>
    </message>
    <message>
        <source>it is there already</source>
        <translation>es ist schon da</translation>
    </message>
    <message>
        <source>it goes on when Fireside is online again</source>
        <translation>es geht weiter, wenn Fireside wieder online ist</translation>
    </message>
</context>
<context>
    <name>fireside::DownloadRow</name>
    <message>
        <source>&amp;Load</source>
        <translation>&amp;Laden</translation>
    </message>
    <message>
        <source>&amp;Try again</source>
        <translation>&amp;Noch einmal</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>&amp;Fortsetzen</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Anhalten</translation>
    </message>
    <message>
        <source>Progress of %1</source>
        <translation>Fortschritt von %1</translation>
    </message>
    <message>
        <source>Re&amp;move from the list</source>
        <translation>Aus der Liste &amp;entfernen</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>A&amp;bbrechen</translation>
    </message>
</context>
<context>
    <name>fireside::DownloadsView</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>%1 s left</source>
        <translation>noch %1 s</translation>
    </message>
    <message>
        <source>%1 min left</source>
        <translation>noch %1 min</translation>
    </message>
    <message>
        <source>%1 h %2 min left</source>
        <translation>noch %1 h %2 min</translation>
    </message>
    <message>
        <source>%1 d %2 h left</source>
        <translation>noch %1 T %2 h</translation>
    </message>
    <message>
        <source>Waits for other downloads</source>
        <translation>Wartet auf andere Downloads</translation>
    </message>
    <message>
        <source>%1 · Checking the content…</source>
        <translation>%1 · Der Inhalt wird geprüft…</translation>
    </message>
    <message>
        <source>Paused at %1</source>
        <translation>Angehalten bei %1</translation>
    </message>
    <message>
        <source>Failed: %1</source>
        <translation>Misslungen: %1</translation>
    </message>
    <message>
        <source>Done: %1</source>
        <translation>Fertig: %1</translation>
    </message>
    <message>
        <source>The server names no checksum: only that it is complete can be checked.</source>
        <translation>Der Server nennt keine Prüfsumme: Nur die Vollständigkeit lässt sich prüfen.</translation>
    </message>
    <message>
        <source>Of some files the server names no checksum.</source>
        <translation>Für manche Dateien nennt der Server keine Prüfsumme.</translation>
    </message>
    <message>
        <source>The content is checked with SHA-256.</source>
        <translation>Der Inhalt wird mit SHA-256 geprüft.</translation>
    </message>
    <message>
        <source>File %1 of %2: %3.</source>
        <translation>Datei %1 von %2: %3.</translation>
    </message>
    <message>
        <source>Folder: %1</source>
        <translation>Ordner: %1</translation>
    </message>
    <message>
        <source>Nothing is being downloaded. “Get models” has models to choose from.</source>
        <translation>Nichts wird heruntergeladen. Unter „Modelle holen“ gibt es Modelle zur Auswahl.</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Remove those that are &amp;done</source>
        <translation>&amp;Fertige entfernen</translation>
    </message>
    <message>
        <source>The models stay where they are</source>
        <translation>Die Modelle bleiben, wo sie sind</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>This list cannot be remembered: %1</source>
        <translation>Diese Liste kann nicht gemerkt werden: %1</translation>
    </message>
    <message>
        <source>Cancel the download</source>
        <translation>Download abbrechen</translation>
    </message>
    <message>
        <source>Cancel the download of “%1”?</source>
        <translation>Download von „%1“ abbrechen?</translation>
    </message>
    <message>
        <source>%1 of it are here, and are deleted. “Pause” keeps them.</source>
        <translation>%1 davon sind schon hier und werden gelöscht. „Anhalten“ behält sie.</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Weitermachen</translation>
    </message>
</context>
<context>
    <name>fireside::EngineService</name>
    <message numerus="yes">
        <source>Unloaded after %n minutes without use; comes back with the next message</source>
        <translation>
            <numerusform>Nach %n Minute ohne Nutzung entladen; kommt mit der nächsten Nachricht zurück</numerusform>
            <numerusform>Nach %n Minuten ohne Nutzung entladen; kommt mit der nächsten Nachricht zurück</numerusform>
        </translation>
    </message>
    <message>
        <source>Unloaded as you asked; comes back with the next message</source>
        <translation>Wie gewünscht entladen; kommt mit der nächsten Nachricht zurück</translation>
    </message>
    <message>
        <source>not in memory</source>
        <translation>nicht im Speicher</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>the engine is busy</source>
        <translation>die Engine ist beschäftigt</translation>
    </message>
    <message>
        <source>another reply is still being written</source>
        <translation>eine andere Antwort wird noch geschrieben</translation>
    </message>
    <message>
        <source>the model is still being loaded</source>
        <translation>das Modell wird noch geladen</translation>
    </message>
    <message>
        <source>no model is loaded</source>
        <translation>kein Modell ist geladen</translation>
    </message>
    <message>
        <source>a server&apos;s model is in use; load this one first</source>
        <translation>das Modell eines Servers ist in Gebrauch; bitte zuerst dieses laden</translation>
    </message>
    <message>
        <source>only models of this computer can tell</source>
        <translation>das können nur Modelle dieses Computers sagen</translation>
    </message>
    <message>
        <source>Not reached: %1. Until it is, this computer answers</source>
        <translation>Nicht erreicht: %1. Bis dahin antwortet dieser Computer</translation>
    </message>
    <message>
        <source>%1. A model of this computer is loaded to answer…</source>
        <translation>%1. Ein Modell dieses Computers wird geladen, um zu antworten…</translation>
    </message>
    <message>
        <source>Answered by %1 on this computer, because %2</source>
        <translation>Beantwortet von %1 auf diesem Computer, denn %2</translation>
    </message>
    <message>
        <source>%1; the model of this computer cannot answer either: %2</source>
        <translation>%1; das Modell dieses Computers kann auch nicht antworten: %2</translation>
    </message>
    <message>
        <source>Not reached: %1. The last answer came from %2 on this computer</source>
        <translation>Nicht erreicht: %1. Die letzte Antwort kam von %2 auf diesem Computer</translation>
    </message>
    <message>
        <source>Unloaded because the computer goes to sleep; comes back with the next message</source>
        <translation>Entladen, weil der Computer in den Ruhezustand geht; kommt mit der nächsten Nachricht zurück</translation>
    </message>
    <message>
        <source>Unloaded after a minute without use; comes back with the next message</source>
        <translation>Nach einer Minute ohne Nutzung entladen; kommt mit der nächsten Nachricht zurück</translation>
    </message>
    <message>
        <source>Unloaded because its file could not be read; the next message loads it again</source>
        <translation>Entladen, weil seine Datei nicht gelesen werden konnte; mit der nächsten Nachricht wird sie neu geladen</translation>
    </message>
</context>
<context>
    <name>fireside::EngineWorker</name>
    <message>
        <source>%1; close other programs or choose a smaller model or context</source>
        <translation>%1; andere Programme schließen oder ein kleineres Modell oder weniger Kontext wählen</translation>
    </message>
    <message>
        <source>measuring on %1</source>
        <translation>Messung auf %1</translation>
    </message>
    <message>
        <source>no model is loaded</source>
        <translation>kein Modell ist geladen</translation>
    </message>
    <message>
        <source>the device failed</source>
        <translation>das Gerät fiel aus</translation>
    </message>
    <message>
        <source>the model could not be loaded again</source>
        <translation>das Modell konnte nicht wieder geladen werden</translation>
    </message>
    <message>
        <source>the model could not be loaded</source>
        <translation>das Modell konnte nicht geladen werden</translation>
    </message>
    <message>
        <source>the window&apos;s model runs elsewhere</source>
        <translation>das Modell des Fensters läuft anderswo</translation>
    </message>
</context>
<context>
    <name>fireside::FindBar</name>
    <message>
        <source>Find in this chat</source>
        <translation>In diesem Chat suchen</translation>
    </message>
    <message>
        <source>Text to find in this chat</source>
        <translation>Text, der in diesem Chat gesucht wird</translation>
    </message>
    <message>
        <source>Previous place (Shift+F3)</source>
        <translation>Vorige Stelle (Umschalt+F3)</translation>
    </message>
    <message>
        <source>Next place (F3)</source>
        <translation>Nächste Stelle (F3)</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>Schließen (Esc)</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Nicht gefunden</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
</context>
<context>
    <name>fireside::FolderTools</name>
    <message>
        <source>the chosen folder is not there</source>
        <translation>der gewählte Ordner ist nicht da</translation>
    </message>
    <message>
        <source>there is no such file</source>
        <translation>eine solche Datei gibt es nicht</translation>
    </message>
    <message>
        <source>there is no “%1”</source>
        <translation>es gibt kein „%1“</translation>
    </message>
    <message>
        <source>“%1” is outside of the chosen folder</source>
        <translation>„%1“ ist außerhalb des gewählten Ordners</translation>
    </message>
    <message>
        <source>“%1” cannot be read</source>
        <translation>„%1“ ist nicht lesbar</translation>
    </message>
    <message>
        <source>“%1” is no ordinary file</source>
        <translation>„%1“ ist keine gewöhnliche Datei</translation>
    </message>
    <message>
        <source>“%1” is no folder</source>
        <translation>„%1“ ist kein Ordner</translation>
    </message>
    <message>
        <source>%1 (leads out of the folder)</source>
        <translation>%1 (führt aus dem Ordner hinaus)</translation>
    </message>
    <message>
        <source>%1 (%2 bytes)</source>
        <translation>%1 (%2 Bytes)</translation>
    </message>
    <message>
        <source>… and %1 more</source>
        <translation>… und %1 weitere</translation>
    </message>
    <message>
        <source>The folder is empty.</source>
        <translation>Der Ordner ist leer.</translation>
    </message>
    <message>
        <source>“%1” is a folder; it can be listed</source>
        <translation>„%1“ ist ein Ordner; er kann aufgelistet werden</translation>
    </message>
    <message>
        <source>“%1” is no text (%2 bytes)</source>
        <translation>„%1“ ist kein Text (%2 Bytes)</translation>
    </message>
    <message>
        <source>the file has only %1 bytes</source>
        <translation>die Datei hat nur %1 Bytes</translation>
    </message>
    <message>
        <source>
[Bytes %1 to %2 of %3; read on with offset %2.]</source>
        <translation>
[Bytes %1 bis %2 von %3; weiterlesen mit offset %2.]</translation>
    </message>
    <message>
        <source>it is not said what to search for</source>
        <translation>es ist nicht gesagt, wonach gesucht werden soll</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>[The first %1 places; there may be more.]</source>
        <translation>[Die ersten %1 Stellen; es kann mehr geben.]</translation>
    </message>
    <message>
        <source>[Some files or folders were too large or too many to be searched.]</source>
        <translation>[Manche Dateien oder Ordner waren zu groß oder zu viele zum Durchsuchen.]</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>Nichts wurde gefunden.</translation>
    </message>
</context>
<context>
    <name>fireside::GenerationPage</name>
    <message>
        <source>&amp;Reset to defaults</source>
        <translation>Auf Vo&amp;rgaben zurücksetzen</translation>
    </message>
    <message>
        <source>Undo &amp;reset</source>
        <translation>Zurücksetzen &amp;rückgängig machen</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>Chats</translation>
    </message>
</context>
<context>
    <name>fireside::GetModels</name>
    <message>
        <source>%1 parameters</source>
        <translation>%1 Parameter</translation>
    </message>
    <message>
        <source>trained for %1 tokens</source>
        <translation>trainiert für %1 Token</translation>
    </message>
    <message>
        <source>Asking %1…</source>
        <translation>%1 wird gefragt…</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>Nichts wurde gefunden.</translation>
    </message>
    <message>
        <source>Nothing was found. “Not only GGUF” searches models in other formats, too.</source>
        <translation>Nichts wurde gefunden. „Nicht nur GGUF“ sucht auch Modelle in anderen Formaten.</translation>
    </message>
    <message>
        <source>Repositories that were found: %1, the most downloaded first.</source>
        <translation>Gefundene Repositorys: %1, die am meisten heruntergeladenen zuerst.</translation>
    </message>
    <message>
        <source>Asking for the files of %1…</source>
        <translation>Die Dateien von %1 werden erfragt…</translation>
    </message>
    <message>
        <source>%1 holds no model that Fireside reads: no GGUF files, and no folder of safetensors with its config.json.</source>
        <translation>%1 enthält kein Modell, das Fireside liest: keine GGUF-Dateien und keinen Ordner mit safetensors und config.json.</translation>
    </message>
    <message>
        <source>%1 has no single model “%2”.</source>
        <translation>%1 hat kein einzelnes Modell „%2“.</translation>
    </message>
    <message>
        <source>%1: models: %2, the smallest first.</source>
        <translation>%1: Modelle: %2, die kleinsten zuerst.</translation>
    </message>
    <message>
        <source>A file of %1.</source>
        <translation>Eine Datei von %1.</translation>
    </message>
    <message>
        <source>no licence named</source>
        <translation>keine Lizenz genannt</translation>
    </message>
    <message>
        <source>licence: %1</source>
        <translation>Lizenz: %1</translation>
    </message>
    <message>
        <source>Its authors want their terms to be accepted first, on its page, and an access token of the account that did so.</source>
        <translation>Die Autoren möchten, dass zuerst auf der Seite ihre Bedingungen angenommen werden, und verlangen einen Zugangsschlüssel dieses Kontos.</translation>
    </message>
    <message>
        <source>Its header is being read, to know exactly…</source>
        <translation>Der Kopf der Datei wird gelesen, um es genau zu wissen…</translation>
    </message>
    <message>
        <source>Its header could not be read: %1.</source>
        <translation>Der Kopf der Datei konnte nicht gelesen werden: %1.</translation>
    </message>
    <message>
        <source>Also its part for &amp;pictures (mmproj, %1); Fireside does not use it yet</source>
        <translation>Auch der Teil für &amp;Bilder (mmproj, %1); Fireside benutzt ihn noch nicht</translation>
    </message>
    <message>
        <source>&amp;Download</source>
        <translation>&amp;Herunterladen</translation>
    </message>
    <message>
        <source>It goes into %1.</source>
        <translation>Es kommt nach %1.</translation>
    </message>
    <message>
        <source>%1 are free there.</source>
        <translation>%1 sind dort frei.</translation>
    </message>
    <message>
        <source>It is on this computer, in %1.</source>
        <translation>Es ist auf diesem Computer, in %1.</translation>
    </message>
    <message>
        <source>&amp;Load</source>
        <translation>&amp;Laden</translation>
    </message>
    <message>
        <source>In the list of downloads: %1</source>
        <translation>In der Liste der Downloads: %1</translation>
    </message>
    <message>
        <source>Show the &amp;download</source>
        <translation>&amp;Download zeigen</translation>
    </message>
    <message>
        <source>Write what you look for and press Enter, or paste the address of a repository or of a .gguf file. Nothing is asked before.</source>
        <translation>Schreiben Sie, was Sie suchen, und drücken Sie die Eingabetaste, oder fügen Sie die Adresse eines Repositorys oder einer .gguf-Datei ein. Vorher wird nichts gefragt.</translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation>Suche leeren</translation>
    </message>
    <message>
        <source>Search Hugging Face, or paste an address</source>
        <translation>Hugging Face durchsuchen oder eine Adresse einfügen</translation>
    </message>
    <message>
        <source>Search for models</source>
        <translation>Nach Modellen suchen</translation>
    </message>
    <message>
        <source>&amp;Not only GGUF</source>
        <translation>&amp;Nicht nur GGUF</translation>
    </message>
    <message>
        <source>Also models in the safetensors format, which are larger</source>
        <translation>Auch Modelle im safetensors-Format, die größer sind</translation>
    </message>
    <message>
        <source>&amp;Search</source>
        <translation>&amp;Suchen</translation>
    </message>
    <message>
        <source>The server is being asked</source>
        <translation>Der Server wird gefragt</translation>
    </message>
    <message>
        <source>Repositories that were found</source>
        <translation>Gefundene Repositorys</translation>
    </message>
    <message>
        <source>Models of the repository</source>
        <translation>Modelle des Repositorys</translation>
    </message>
    <message>
        <source>The chosen model</source>
        <translation>Das gewählte Modell</translation>
    </message>
    <message>
        <source>Show its &amp;page…</source>
        <translation>Seite im Browser &amp;zeigen…</translation>
    </message>
    <message>
        <source>Access &amp;token…</source>
        <translation>Zugangs&amp;schlüssel…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>fireside::HeaderPreview</name>
    <message>
        <source>header of %1</source>
        <translation>Kopf von %1</translation>
    </message>
    <message>
        <source>the server does not send the beginning of the file</source>
        <translation>der Server sendet den Anfang der Datei nicht</translation>
    </message>
    <message>
        <source>the server sends less than it said</source>
        <translation>der Server sendet weniger, als er gesagt hat</translation>
    </message>
    <message>
        <source>its headers are too long</source>
        <translation>seine Kopfzeilen sind zu lang</translation>
    </message>
</context>
<context>
    <name>fireside::HttpExchange</name>
    <message>
        <source>%1 has not answered for %2 s</source>
        <translation>%1 hat seit %2 s nicht geantwortet</translation>
    </message>
    <message>
        <source>%1 has sent nothing for %2 s</source>
        <translation>%1 hat seit %2 s nichts gesendet</translation>
    </message>
    <message>
        <source>only https and http addresses can be used</source>
        <translation>nur https- und http-Adressen sind möglich</translation>
    </message>
    <message>
        <source>Fireside is offline</source>
        <translation>Fireside ist offline</translation>
    </message>
    <message>
        <source>the answer of %1 does not end (%2 MB so far)</source>
        <translation>die Antwort von %1 endet nicht (bisher %2 MB)</translation>
    </message>
    <message>
        <source>%1 sends requests on to %2, where nothing is sent unasked: if that is right, enter that address</source>
        <translation>%1 leitet Anfragen an %2 weiter, wohin ungefragt nichts gesendet wird: Wenn das richtig ist, bitte diese Adresse eintragen</translation>
    </message>
    <message>
        <source>the identity of %1 cannot be trusted: %2</source>
        <translation>der Identität von %1 ist nicht zu trauen: %2</translation>
    </message>
</context>
<context>
    <name>fireside::HubClient</name>
    <message>
        <source>the server&apos;s answer does not end</source>
        <translation>die Antwort des Servers endet nicht</translation>
    </message>
    <message>
        <source>the server does not answer as Hugging Face does</source>
        <translation>der Server antwortet nicht wie Hugging Face</translation>
    </message>
    <message>
        <source>search for models</source>
        <translation>Suche nach Modellen</translation>
    </message>
    <message>
        <source>“%1” is no repository&apos;s name</source>
        <translation>„%1“ ist kein Name eines Repositorys</translation>
    </message>
    <message>
        <source>files of %1</source>
        <translation>Dateien von %1</translation>
    </message>
    <message>
        <source>the repository has too many files</source>
        <translation>das Repository hat zu viele Dateien</translation>
    </message>
</context>
<context>
    <name>fireside::InputBar</name>
    <message>
        <source>&amp;Decline</source>
        <translation>Ab&amp;lehnen</translation>
    </message>
    <message>
        <source>The server is told that you do not want to</source>
        <translation>Der Server erfährt, dass Sie nicht wollen</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>A&amp;bbrechen</translation>
    </message>
    <message>
        <source>The server is told that nothing was answered</source>
        <translation>Der Server erfährt, dass nichts geantwortet wurde</translation>
    </message>
    <message>
        <source>The tool server “%1” wants you to open a page:</source>
        <translation>Der Werkzeugserver „%1“ möchte, dass Sie eine Seite öffnen:</translation>
    </message>
    <message>
        <source>The tool server “%1” asks:</source>
        <translation>Der Werkzeugserver „%1“ fragt:</translation>
    </message>
    <message>
        <source>What you send goes to this server. Never enter passwords or keys here.</source>
        <translation>Was Sie senden, geht an diesen Server. Geben Sie hier niemals Passwörter oder Schlüssel ein.</translation>
    </message>
    <message>
        <source>When you are done in the browser, what was asked for is tried again.</source>
        <translation>Wenn Sie im Browser fertig sind, wird das Verlangte noch einmal versucht.</translation>
    </message>
    <message>
        <source>It opens in your browser. What you do there is not seen by Fireside.</source>
        <translation>Sie öffnet sich in Ihrem Browser. Was Sie dort tun, sieht Fireside nicht.</translation>
    </message>
    <message>
        <source>&amp;Send</source>
        <translation>&amp;Senden</translation>
    </message>
    <message>
        <source>&amp;Go on</source>
        <translation>&amp;Weiter</translation>
    </message>
    <message>
        <source>&amp;Open in the browser</source>
        <translation>Im Browser ö&amp;ffnen</translation>
    </message>
</context>
<context>
    <name>fireside::InputForm</name>
    <message>
        <source>Choose…</source>
        <translation>Bitte wählen …</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Nichts</translation>
    </message>
    <message>
        <source>%1 (required)</source>
        <translation>%1 (nötig)</translation>
    </message>
</context>
<context>
    <name>fireside::InputTexts</name>
    <message>
        <source>at least %1 are to be chosen</source>
        <translation>mindestens %1 sind zu wählen</translation>
    </message>
    <message>
        <source>at least %1 characters are wanted</source>
        <translation>mindestens %1 Zeichen sind nötig</translation>
    </message>
    <message>
        <source>it must be %1 at least</source>
        <translation>es muss mindestens %1 sein</translation>
    </message>
    <message>
        <source>at most %1 may be chosen</source>
        <translation>höchstens %1 dürfen gewählt werden</translation>
    </message>
    <message>
        <source>at most %1 characters fit</source>
        <translation>höchstens %1 Zeichen passen</translation>
    </message>
    <message>
        <source>it must be %1 at most</source>
        <translation>es darf höchstens %1 sein</translation>
    </message>
    <message>
        <source>that is no e-mail address</source>
        <translation>das ist keine E-Mail-Adresse</translation>
    </message>
    <message>
        <source>that is no address</source>
        <translation>das ist keine Adresse</translation>
    </message>
    <message>
        <source>a date is written like 2026-12-31</source>
        <translation>ein Datum wird wie 2026-12-31 geschrieben</translation>
    </message>
    <message>
        <source>a time is written like 2026-12-31T18:30:00Z</source>
        <translation>ein Zeitpunkt wird wie 2026-12-31T18:30:00Z geschrieben</translation>
    </message>
    <message>
        <source>that is no number</source>
        <translation>das ist keine Zahl</translation>
    </message>
    <message>
        <source>a whole number is wanted</source>
        <translation>es soll eine ganze Zahl sein</translation>
    </message>
    <message>
        <source>this has to be filled in</source>
        <translation>das muss ausgefüllt werden</translation>
    </message>
    <message>
        <source>one of the choices is wanted</source>
        <translation>es soll eine der Möglichkeiten sein</translation>
    </message>
    <message>
        <source>it does not have the form that the server wants: %1</source>
        <translation>es hat nicht die Form, die der Server verlangt: %1</translation>
    </message>
</context>
<context>
    <name>fireside::LinkTexts</name>
    <message>
        <source>Open link</source>
        <translation>Link öffnen</translation>
    </message>
    <message>
        <source>Open this address in the browser?</source>
        <translation>Diese Adresse im Browser öffnen?</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Fireside is offline: it does not hand addresses to the browser.</source>
        <translation>Fireside ist offline: Es gibt keine Adressen an den Browser weiter.</translation>
    </message>
    <message>
        <source>link opened in the browser</source>
        <translation>im Browser geöffneter Link</translation>
    </message>
    <message>
        <source>page for a tool server opened in the browser</source>
        <translation>Seite für einen Werkzeugserver im Browser geöffnet</translation>
    </message>
</context>
<context>
    <name>fireside::LoadForm</name>
    <message>
        <source>Wher&amp;e it may run</source>
        <translation>W&amp;o es laufen darf</translation>
    </message>
    <message>
        <source>&amp;Use defaults</source>
        <translation>&amp;Vorgaben benutzen</translation>
    </message>
    <message>
        <source>%1:</source>
        <translation>%1:</translation>
    </message>
</context>
<context>
    <name>fireside::LongLines</name>
    <message>
        <source>Pasted text</source>
        <translation>Eingefügter Text</translation>
    </message>
    <message>
        <source>Pasted text %1</source>
        <translation>Eingefügter Text %1</translation>
    </message>
</context>
<context>
    <name>fireside::Main</name>
    <message>
        <source>Chat with language models that run on this computer.</source>
        <translation>Chatten mit Sprachmodellen, die auf diesem Computer laufen.</translation>
    </message>
    <message>
        <source>A GGUF file to load instead of the last one used.</source>
        <translation>Eine GGUF-Datei, die statt der zuletzt benutzten geladen wird.</translation>
    </message>
    <message>
        <source>one model at most can be named</source>
        <translation>höchstens ein Modell kann genannt werden</translation>
    </message>
    <message>
        <source>fireside: it is already running, but does not answer
</source>
        <translation>fireside: läuft schon, antwortet aber nicht
</translation>
    </message>
</context>
<context>
    <name>fireside::MainWindow</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;New chat</source>
        <translation>&amp;Neuer Chat</translation>
    </message>
    <message>
        <source>&amp;Models…</source>
        <translation>&amp;Modelle…</translation>
    </message>
    <message>
        <source>&amp;Unload the model</source>
        <translation>Modell &amp;entladen</translation>
    </message>
    <message>
        <source>&amp;Import chats…</source>
        <translation>Chats &amp;importieren…</translation>
    </message>
    <message>
        <source>&amp;Export this chat…</source>
        <translation>Diesen Chat e&amp;xportieren…</translation>
    </message>
    <message>
        <source>Export &amp;all chats…</source>
        <translation>&amp;Alle Chats exportieren…</translation>
    </message>
    <message>
        <source>&amp;Print…</source>
        <translation>D&amp;rucken…</translation>
    </message>
    <message>
        <source>&amp;Settings…</source>
        <translation>Ein&amp;stellungen…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Chat</source>
        <translation>&amp;Chat</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Stoppen</translation>
    </message>
    <message>
        <source>S&amp;kip thinking</source>
        <translation>Denken &amp;überspringen</translation>
    </message>
    <message>
        <source>&amp;Regenerate the last reply</source>
        <translation>Letzte Antwort neu e&amp;rzeugen</translation>
    </message>
    <message>
        <source>C&amp;ontinue the last reply</source>
        <translation>Letzte Antwort &amp;fortsetzen</translation>
    </message>
    <message>
        <source>&amp;Edit the last message</source>
        <translation>Letzte Nachricht &amp;bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Copy the last answer</source>
        <translation>Letzte Antwort &amp;kopieren</translation>
    </message>
    <message>
        <source>&amp;Find in this chat</source>
        <translation>In diesem Chat suc&amp;hen</translation>
    </message>
    <message>
        <source>Find the &amp;next place</source>
        <translation>&amp;Nächste Stelle suchen</translation>
    </message>
    <message>
        <source>Find the &amp;previous place</source>
        <translation>&amp;Vorige Stelle suchen</translation>
    </message>
    <message>
        <source>&amp;Jump to the latest message</source>
        <translation>Zur neuesten Nachricht s&amp;pringen</translation>
    </message>
    <message>
        <source>C&amp;onversations</source>
        <translation>&amp;Verlauf</translation>
    </message>
    <message>
        <source>&amp;Search all chats</source>
        <translation>Alle Chats durch&amp;suchen</translation>
    </message>
    <message>
        <source>&amp;Rename</source>
        <translation>&amp;Umbenennen</translation>
    </message>
    <message>
        <source>Let the &amp;model name it</source>
        <translation>Vom &amp;Modell benennen lassen</translation>
    </message>
    <message>
        <source>&amp;Delete this chat</source>
        <translation>Diesen Chat &amp;löschen</translation>
    </message>
    <message>
        <source>&amp;Undo the deletion</source>
        <translation>Löschen &amp;rückgängig machen</translation>
    </message>
    <message>
        <source>Show the &amp;list</source>
        <translation>L&amp;iste zeigen</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>&amp;Devices and backends…</source>
        <translation>&amp;Geräte und Backends…</translation>
    </message>
    <message>
        <source>&amp;About Fireside</source>
        <translation>&amp;Über Fireside</translation>
    </message>
    <message>
        <source>“%1” could not be loaded: %2</source>
        <translation>„%1“ konnte nicht geladen werden: %2</translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation>Anderes Modell wählen</translation>
    </message>
    <message>
        <source>This chat no longer fits into the model&apos;s context: the oldest messages are left out. The line in the transcript shows where.</source>
        <translation>Dieser Chat passt nicht mehr in den Kontext des Modells: Die ältesten Nachrichten werden weggelassen. Die Linie im Verlauf zeigt, wo.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>“%1” could not be deleted: %2</source>
        <translation>„%1“ konnte nicht gelöscht werden: %2</translation>
    </message>
    <message>
        <source>Fireside</source>
        <translation>Fireside</translation>
    </message>
    <message>
        <source>%1 — Fireside</source>
        <translation>%1 — Fireside</translation>
    </message>
    <message>
        <source>About Fireside</source>
        <translation>Über Fireside</translation>
    </message>
    <message>
        <source>Fireside %1</source>
        <translation>Fireside %1</translation>
    </message>
    <message>
        <source>&amp;Get models…</source>
        <translation>Modelle &amp;holen…</translation>
    </message>
    <message>
        <source>&amp;Tools of this chat…</source>
        <translation>&amp;Werkzeuge dieses Chats…</translation>
    </message>
    <message>
        <source>Pro&amp;mpts…</source>
        <translation>Pro&amp;mpts…</translation>
    </message>
    <message>
        <source>Chat with language models that run on this computer. Nothing you write leaves it, unless you choose a model of a server.

Apache License 2.0</source>
        <translation>Chatten mit Sprachmodellen, die auf diesem Computer laufen. Nichts, was Sie schreiben, verlässt ihn, außer Sie wählen das Modell eines Servers.

Apache License 2.0</translation>
    </message>
    <message>
        <source>“%1” has been downloaded.</source>
        <translation>„%1“ wurde heruntergeladen.</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>“%1” could not be downloaded: %2</source>
        <translation>„%1“ konnte nicht heruntergeladen werden: %2</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>&amp;First hour with Fireside</source>
        <translation>&amp;Erste Stunde mit Fireside</translation>
    </message>
    <message>
        <source>Your first hour with Fireside</source>
        <translation>Ihre erste Stunde mit Fireside</translation>
    </message>
    <message>
        <source>New &amp;window</source>
        <translation>Neues &amp;Fenster</translation>
    </message>
    <message>
        <source>&amp;Close this window</source>
        <translation>Fenster sch&amp;ließen</translation>
    </message>
    <message>
        <source>The second model</source>
        <translation>Das zweite Modell</translation>
    </message>
    <message>
        <source>Compare &amp;with a second model</source>
        <translation>Mit einem &amp;zweiten Modell vergleichen</translation>
    </message>
    <message>
        <source>Settin&amp;gs of this chat…</source>
        <translation>Einstellun&amp;gen dieses Chats…</translation>
    </message>
    <message>
        <source>Write &amp;a message</source>
        <translation>Ein&amp;e Nachricht schreiben</translation>
    </message>
    <message>
        <source>Dupli&amp;cate</source>
        <translation>Dupli&amp;zieren</translation>
    </message>
    <message>
        <source>A summary stands for the oldest messages, which no longer fit into the model&apos;s context. The line in the transcript shows where.</source>
        <translation>Eine Zusammenfassung steht für die ältesten Nachrichten, die nicht mehr in den Kontext des Modells passen. Die Linie im Verlauf zeigt, wo.</translation>
    </message>
    <message>
        <source>Models of servers</source>
        <translation>Modelle von Servern</translation>
    </message>
    <message>
        <source>&amp;Models of servers</source>
        <translation>&amp;Modelle von Servern</translation>
    </message>
    <message>
        <source>Load another model</source>
        <translation>Anderes Modell laden</translation>
    </message>
    <message>
        <source>A reply is being generated. Loading “%1” now stops it; the text so far is kept.</source>
        <translation>Eine Antwort wird gerade geschrieben. „%1“ jetzt zu laden hält sie an; ihr Text bleibt.</translation>
    </message>
    <message>
        <source>Another program is using the loaded model. Loading “%1” now ends its requests.</source>
        <translation>Ein anderes Programm benutzt das geladene Modell. „%1“ jetzt zu laden beendet seine Anfragen.</translation>
    </message>
    <message>
        <source>If you wait, the model loads when the reply ends.</source>
        <translation>Solange diese Frage offen ist, wird das Modell geladen, sobald die Antwort fertig ist.</translation>
    </message>
    <message>
        <source>Stop and load</source>
        <translation>Anhalten und laden</translation>
    </message>
    <message>
        <source>%1. The previous model was loaded again.</source>
        <translation>%1. Das vorige Modell wird wieder benutzt.</translation>
    </message>
</context>
<context>
    <name>fireside::McpConfigFile</name>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1 ist nicht lesbar: %2</translation>
    </message>
    <message>
        <source>%1 is not as it should be: an object with “mcpServers”, which names at most %2 servers</source>
        <translation>%1 ist nicht, wie es sein soll: ein Objekt mit „mcpServers“, das höchstens %2 Server nennt</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>%1 kann nicht geschrieben werden: %2</translation>
    </message>
    <message>
        <source>there is a server called “%1” already</source>
        <translation>es gibt schon einen Server „%1“</translation>
    </message>
</context>
<context>
    <name>fireside::McpProtocol</name>
    <message>
        <source>%1 bytes</source>
        <translation>%1 Bytes</translation>
    </message>
    <message>
        <source>[%1: %2, %3, left out]</source>
        <translation>[%1: %2, %3, weggelassen]</translation>
    </message>
    <message>
        <source>[content of an unknown kind, left out]</source>
        <translation>[Inhalt unbekannter Art, weggelassen]</translation>
    </message>
    <message>
        <source>its list of tools is none</source>
        <translation>seine Liste der Werkzeuge ist keine</translation>
    </message>
    <message>
        <source>the tool “%1” has no usable name or schema</source>
        <translation>das Werkzeug „%1“ hat keinen brauchbaren Namen oder kein brauchbares Schema</translation>
    </message>
    <message>
        <source>the schema of the tool “%1” is too large (%2 bytes)</source>
        <translation>das Schema des Werkzeugs „%1“ ist zu groß (%2 Bytes)</translation>
    </message>
    <message>
        <source>the tool “%1” wants headers that HTTP does not allow</source>
        <translation>das Werkzeug „%1“ möchte Kopfzeilen, die HTTP nicht erlaubt</translation>
    </message>
    <message>
        <source>the server asks for more input, which Fireside cannot give</source>
        <translation>der Server fragt nach weiteren Eingaben, die Fireside nicht geben kann</translation>
    </message>
    <message>
        <source>the server&apos;s answer is no result</source>
        <translation>die Antwort des Servers ist kein Ergebnis</translation>
    </message>
    <message>
        <source>[%1 more parts, left out]</source>
        <translation>[%1 weitere Teile, weggelassen]</translation>
    </message>
</context>
<context>
    <name>fireside::McpServer</name>
    <message>
        <source>there is no network here</source>
        <translation>es gibt hier kein Netz</translation>
    </message>
    <message>
        <source>Fireside is offline</source>
        <translation>Fireside ist offline</translation>
    </message>
    <message>
        <source>%1. It was tried %2 times.</source>
        <translation>%1. Es wurde %2-mal versucht.</translation>
    </message>
    <message>
        <source>%1. It starts again after %2 s.</source>
        <translation>%1. Es startet nach %2 s wieder.</translation>
    </message>
</context>
<context>
    <name>fireside::McpServerConfig</name>
    <message>
        <source>“%1” is not an object of names and texts</source>
        <translation>„%1“ ist kein Objekt aus Namen und Texten</translation>
    </message>
    <message>
        <source>it needs either a “command” or a “url”</source>
        <translation>es braucht entweder ein „command“ oder eine „url“</translation>
    </message>
    <message>
        <source>“%1” is no http or https address</source>
        <translation>„%1“ ist keine http- oder https-Adresse</translation>
    </message>
    <message>
        <source>“%1” is no header</source>
        <translation>„%1“ ist keine Kopfzeile</translation>
    </message>
    <message>
        <source>“%1” is no name of a variable</source>
        <translation>„%1“ ist kein Name einer Variablen</translation>
    </message>
    <message>
        <source>its entry is not an object</source>
        <translation>sein Eintrag ist kein Objekt</translation>
    </message>
    <message>
        <source>“args” is not a list of texts</source>
        <translation>„args“ ist keine Liste von Texten</translation>
    </message>
    <message>
        <source>the variable %1 is not set</source>
        <translation>die Variable %1 ist nicht gesetzt</translation>
    </message>
    <message>
        <source>“callbackPort” is no port</source>
        <translation>„callbackPort“ ist kein Port</translation>
    </message>
</context>
<context>
    <name>fireside::MeasureRow</name>
    <message>
        <source>Measure &amp;places</source>
        <translation>Orte &amp;messen</translation>
    </message>
    <message>
        <source>Stop measurin&amp;g</source>
        <translation>Messun&amp;g beenden</translation>
    </message>
    <message>
        <source>Stop measuring</source>
        <translation>Messung beenden</translation>
    </message>
    <message>
        <source>Measuring progress</source>
        <translation>Fortschritt der Messung</translation>
    </message>
    <message>
        <source>Measuring…</source>
        <translation>Messung läuft…</translation>
    </message>
    <message>
        <source>Measuring on %1 (%2 of %3)</source>
        <translation>Messung auf %1 (%2 von %3)</translation>
    </message>
    <message>
        <source>Not while a reply is being written</source>
        <translation>Nicht, während eine Antwort geschrieben wird</translation>
    </message>
    <message>
        <source>Runs the model for some ten seconds in every way that there is room for. Automatic then takes the fastest.</source>
        <translation>Führt das Modell etwa zehn Sekunden lang auf jede Art aus, für die Platz ist. Automatisch nimmt danach die schnellste.</translation>
    </message>
    <message>
        <source>Stopped; what was measured counts.</source>
        <translation>Beendet; was gemessen wurde, zählt.</translation>
    </message>
    <message>
        <source>Nothing was measured: %1</source>
        <translation>Nichts wurde gemessen: %1</translation>
    </message>
    <message>
        <source>Measured. From now on: %1</source>
        <translation>Gemessen. Von jetzt an: %1</translation>
    </message>
    <message>
        <source>Not measured: %1</source>
        <translation>Nicht gemessen: %1</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Wird gestoppt…</translation>
    </message>
</context>
<context>
    <name>fireside::MessageEditor</name>
    <message>
        <source>Edit message</source>
        <translation>Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Send new version</source>
        <translation>Neue Fassung senden</translation>
    </message>
    <message>
        <source>The old version is kept: the arrows below the message switch between them</source>
        <translation>Die alte Fassung bleibt: Die Pfeile unter der Nachricht wechseln zwischen ihnen</translation>
    </message>
</context>
<context>
    <name>fireside::MessageToolbar</name>
    <message>
        <source>1 token</source>
        <translation>1 Token</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 Token/s</translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation>Nachricht kopieren</translation>
    </message>
    <message>
        <source>Edit message</source>
        <translation>Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Regenerate reply</source>
        <translation>Antwort neu erzeugen</translation>
    </message>
    <message>
        <source>Continue the reply where it broke off</source>
        <translation>Die Antwort fortsetzen, wo sie abbrach</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>Vorige Fassung</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>Nächste Fassung</translation>
    </message>
    <message>
        <source>How this reply was made</source>
        <translation>Wie diese Antwort entstand</translation>
    </message>
    <message>
        <source>Speed and tokens of this reply</source>
        <translation>Geschwindigkeit und Token dieser Antwort</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
</context>
<context>
    <name>fireside::ModelDetailsPane</name>
    <message>
        <source>Details of the chosen model</source>
        <translation>Einzelheiten zum gewählten Modell</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>Quantisierung</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>Architektur</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>Found in</source>
        <translation>Gefunden in</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>trained for %1 tokens</source>
        <translation>trainiert für %1 Token</translation>
    </message>
    <message>
        <source>not named in the file</source>
        <translation>in der Datei nicht genannt</translation>
    </message>
    <message>
        <source>also in %1: %2</source>
        <translation>auch in %1: %2</translation>
    </message>
    <message>
        <source>Working out what it needs…</source>
        <translation>Es wird ermittelt, was es braucht…</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>also in %1 as %2: %3</source>
        <translation>auch in %1 als %2: %3</translation>
    </message>
</context>
<context>
    <name>fireside::ModelLibrary</name>
    <message>
        <source>not a file</source>
        <translation>keine Datei</translation>
    </message>
    <message>
        <source>too large to be what it should be</source>
        <translation>zu groß für das, was es sein soll</translation>
    </message>
    <message>
        <source>not searched: too many folders deep</source>
        <translation>nicht durchsucht: zu viele Ordner tief</translation>
    </message>
    <message>
        <source>not searched further: too many files</source>
        <translation>nicht weiter durchsucht: zu viele Dateien</translation>
    </message>
    <message>
        <source>embedding model: cannot chat</source>
        <translation>Embedding-Modell: kann nicht chatten</translation>
    </message>
    <message>
        <source>not a model file</source>
        <translation>keine Modelldatei</translation>
    </message>
    <message>
        <source>the file does not exist</source>
        <translation>die Datei existiert nicht</translation>
    </message>
    <message>
        <source>not enough memory to read it</source>
        <translation>nicht genug Speicher, um sie zu lesen</translation>
    </message>
    <message>
        <source>%1 of %2 parts are missing: %3 …</source>
        <translation>%1 von %2 Teilen fehlen: %3 …</translation>
    </message>
    <message>
        <source>%1 of %2 parts are missing: %3</source>
        <translation>%1 von %2 Teilen fehlen: %3</translation>
    </message>
    <message>
        <source>Opened file</source>
        <translation>Geöffnete Datei</translation>
    </message>
    <message>
        <source>it is searched now, but cannot be remembered: %1</source>
        <translation>er wird jetzt durchsucht, kann aber nicht gemerkt werden: %1</translation>
    </message>
    <message>
        <source>its removal cannot be remembered: %1</source>
        <translation>das Entfernen kann nicht gemerkt werden: %1</translation>
    </message>
    <message>
        <source>the starter model is part of the program</source>
        <translation>das Startmodell gehört zum Programm</translation>
    </message>
    <message>
        <source>Ollama manages this file; remove it with: ollama rm %1</source>
        <translation>Ollama verwaltet diese Datei; entfernen mit: ollama rm %1</translation>
    </message>
    <message>
        <source>%1 manages this file; delete it there</source>
        <translation>%1 verwaltet diese Datei; bitte dort löschen</translation>
    </message>
    <message>
        <source>this model is a folder of files; delete the folder itself</source>
        <translation>dieses Modell ist ein Ordner mit Dateien; bitte den Ordner selbst löschen</translation>
    </message>
    <message>
        <source>its file is not there</source>
        <translation>seine Datei ist nicht da</translation>
    </message>
    <message>
        <source>only model files of the list can be deleted</source>
        <translation>nur Modelldateien der Liste können gelöscht werden</translation>
    </message>
    <message>
        <source>the folder does not exist</source>
        <translation>der Ordner existiert nicht</translation>
    </message>
    <message>
        <source>its file %1 is missing or not accessible</source>
        <translation>seine Datei %1 fehlt oder ist nicht zugänglich</translation>
    </message>
    <message>
        <source>its file %1 cannot be read: permission denied</source>
        <translation>seine Datei %1 ist nicht lesbar: keine Berechtigung</translation>
    </message>
    <message>
        <source>it is on a server</source>
        <translation>es ist auf einem Server</translation>
    </message>
    <message>
        <source>its header is damaged, or too long</source>
        <translation>sein Kopf ist beschädigt oder zu lang</translation>
    </message>
</context>
<context>
    <name>fireside::ModelListModel</name>
    <message>
        <source>Cannot be used: %1</source>
        <translation>Nicht benutzbar: %1</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Passt</translation>
    </message>
    <message>
        <source>Too big</source>
        <translation>Zu groß</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Unbekannt</translation>
    </message>
    <message>
        <source>%1 (loaded)</source>
        <translation>%1 (geladen)</translation>
    </message>
    <message>
        <source>%1, %2 active</source>
        <translation>%1, %2 aktiv</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Will it fit?</source>
        <translation>Passt es?</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>Quantisierung</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>Architektur</translation>
    </message>
    <message>
        <source>Found in</source>
        <translation>Gefunden in</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>Runs on %1</source>
        <translation>Läuft auf %1</translation>
    </message>
    <message>
        <source>%1 (in use)</source>
        <translation>%1 (in Gebrauch)</translation>
    </message>
    <message>
        <source>Cannot be used</source>
        <translation>Nicht verwendbar</translation>
    </message>
    <message>
        <source>On %1</source>
        <translation>Auf %1</translation>
    </message>
    <message>
        <source>Fits: %1 on the CPU</source>
        <translation>Passt: %1 auf der CPU</translation>
    </message>
    <message>
        <source>Fits: %1 on the GPU</source>
        <translation>Passt: %1 auf der GPU</translation>
    </message>
    <message>
        <source>Too big: needs %1</source>
        <translation>Zu groß: braucht %1</translation>
    </message>
</context>
<context>
    <name>fireside::ModelPicker</name>
    <message>
        <source>Looking in %1 – %2 of %3 files read</source>
        <translation>Suche in %1 – %2 von %3 Dateien gelesen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Could not delete %1: %2</source>
        <translation>%1 konnte nicht gelöscht werden: %2</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>Modelle werden gesucht…</translation>
    </message>
    <message>
        <source>&amp;Cancel scan</source>
        <translation>Suche &amp;abbrechen</translation>
    </message>
    <message>
        <source>&amp;Rescan</source>
        <translation>N&amp;eu suchen</translation>
    </message>
    <message>
        <source>Cannot be used (%1)</source>
        <translation>Nicht benutzbar (%1)</translation>
    </message>
    <message>
        <source>&lt;h3&gt;None of these models can be used&lt;/h3&gt;&lt;p&gt;Below they are shown with what is in their way.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Keines dieser Modelle ist benutzbar&lt;/h3&gt;&lt;p&gt;Unten stehen sie mit dem, was im Weg ist.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;h3&gt;No model matches “%1”&lt;/h3&gt;&lt;p&gt;Clear the search field to see every model.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Kein Modell passt zu „%1“&lt;/h3&gt;&lt;p&gt;Das Suchfeld leeren, um jedes Modell zu sehen.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Looking for models…&lt;/h3&gt;&lt;p&gt;They appear here as they are found.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Modelle werden gesucht…&lt;/h3&gt;&lt;p&gt;Sie erscheinen hier, sobald sie gefunden sind.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;h3&gt;No models found&lt;/h3&gt;&lt;p&gt;Fireside looked in the folders of Hugging Face, LM Studio, Ollama and Jan, and in:&lt;/p&gt;&lt;ul&gt;%1&lt;/ul&gt;&lt;p&gt;Put a GGUF file into one of them, open a file from anywhere, or add the folder that holds your models. Models are read where they lie; nothing is copied.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Keine Modelle gefunden&lt;/h3&gt;&lt;p&gt;Fireside hat in den Ordnern von Hugging Face, LM Studio, Ollama und Jan gesucht, und in:&lt;/p&gt;&lt;ul&gt;%1&lt;/ul&gt;&lt;p&gt;Legen Sie eine GGUF-Datei in einen davon, öffnen Sie eine Datei von irgendwo, oder fügen Sie den Ordner hinzu, in dem Ihre Modelle liegen. Modelle werden gelesen, wo sie liegen; nichts wird kopiert.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&amp;Load anyway…</source>
        <translation>Trotzdem &amp;laden…</translation>
    </message>
    <message>
        <source>Re&amp;load</source>
        <translation>Neu &amp;laden</translation>
    </message>
    <message>
        <source>&amp;Load</source>
        <translation>&amp;Laden</translation>
    </message>
    <message>
        <source>&amp;Use those of every model</source>
        <translation>Die für &amp;jedes Modell benutzen</translation>
    </message>
    <message>
        <source>Open a model file</source>
        <translation>Modelldatei öffnen</translation>
    </message>
    <message>
        <source>Models (*.gguf config.json *.safetensors);;All files (*)</source>
        <translation>Modelle (*.gguf config.json *.safetensors);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>%1 wird gelesen…</translation>
    </message>
    <message>
        <source>Opened file</source>
        <translation>Geöffnete Datei</translation>
    </message>
    <message>
        <source>%1 cannot be used: %2</source>
        <translation>%1 ist nicht benutzbar: %2</translation>
    </message>
    <message>
        <source>Add a folder with models</source>
        <translation>Ordner mit Modellen hinzufügen</translation>
    </message>
    <message>
        <source>%1
%2

This cannot be undone. Other programs that use this file lose it too.</source>
        <translation>%1
%2

Das lässt sich nicht rückgängig machen. Andere Programme, die diese Datei benutzen, verlieren sie auch.</translation>
    </message>
    <message>
        <source>Delete the file of “%1” from this computer?</source>
        <translation>Die Datei von „%1“ von diesem Computer löschen?</translation>
    </message>
    <message>
        <source>Delete file</source>
        <translation>Datei löschen</translation>
    </message>
    <message>
        <source>“%1” needs more memory than there is.</source>
        <translation>„%1“ braucht mehr Speicher, als da ist.</translation>
    </message>
    <message>
        <source>%1

Loading it will probably fail, and the model loaded now is unloaded first.</source>
        <translation>%1

Das Laden wird wahrscheinlich misslingen, und das jetzt geladene Modell wird vorher entladen.</translation>
    </message>
    <message>
        <source>Load anyway</source>
        <translation>Trotzdem laden</translation>
    </message>
    <message numerus="yes">
        <source>… and %n more</source>
        <translation>
            <numerusform>… und %n weiteres</numerusform>
            <numerusform>… und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>Clear the filter</source>
        <translation>Filter leeren</translation>
    </message>
    <message>
        <source>Filter by name, architecture, quantisation or folder</source>
        <translation>Nach Name, Architektur, Quantisierung oder Ordner filtern</translation>
    </message>
    <message>
        <source>Filter models</source>
        <translation>Modelle filtern</translation>
    </message>
    <message>
        <source>&amp;Open file…</source>
        <translation>Datei &amp;öffnen…</translation>
    </message>
    <message>
        <source>&amp;Folders</source>
        <translation>O&amp;rdner</translation>
    </message>
    <message>
        <source>&amp;Add folder…</source>
        <translation>Ordner &amp;hinzufügen…</translation>
    </message>
    <message>
        <source>&amp;Show removed models again (%1)</source>
        <translation>Entfernte Modelle &amp;wieder zeigen (%1)</translation>
    </message>
    <message>
        <source>Remove %1 from the list</source>
        <translation>%1 aus der Liste entfernen</translation>
    </message>
    <message>
        <source>Scan progress</source>
        <translation>Fortschritt der Suche</translation>
    </message>
    <message>
        <source>Load with &amp;settings</source>
        <translation>Mit &amp;Einstellungen laden</translation>
    </message>
    <message>
        <source>Settings to load the model with</source>
        <translation>Einstellungen, mit denen das Modell geladen wird</translation>
    </message>
    <message>
        <source>Re&amp;move from list</source>
        <translation>Aus der Liste &amp;entfernen</translation>
    </message>
    <message>
        <source>The file stays where it is</source>
        <translation>Die Datei bleibt, wo sie ist</translation>
    </message>
    <message>
        <source>&amp;Delete file…</source>
        <translation>Datei &amp;löschen…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>Pfad kopieren</translation>
    </message>
    <message>
        <source>Remove from list</source>
        <translation>Aus der Liste entfernen</translation>
    </message>
    <message>
        <source>Delete file…</source>
        <translation>Datei löschen…</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>Sortieren nach</translation>
    </message>
    <message>
        <source>&amp;Use</source>
        <translation>&amp;Benutzen</translation>
    </message>
    <message>
        <source>Where models are</source>
        <translation>Wo Modelle sind</translation>
    </message>
    <message>
        <source>My models</source>
        <translation>Meine Modelle</translation>
    </message>
    <message>
        <source>Get models</source>
        <translation>Modelle holen</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Downloads (%1)</source>
        <translation>Downloads (%1)</translation>
    </message>
    <message>
        <source>Ser&amp;vers…</source>
        <translation>Ser&amp;ver…</translation>
    </message>
    <message>
        <source>Add a server elsewhere, whose models answer in this window</source>
        <translation>Einen Server anderswo hinzufügen, dessen Modelle in diesem Fenster antworten</translation>
    </message>
    <message>
        <source>Server %1</source>
        <translation>Server %1</translation>
    </message>
    <message>
        <source>Server %1: %2</source>
        <translation>Server %1: %2</translation>
    </message>
</context>
<context>
    <name>fireside::ModelQuery</name>
    <message>
        <source>models of %1</source>
        <translation>Modelle von %1</translation>
    </message>
    <message>
        <source>%1 does not answer as OpenAI&apos;s interface does</source>
        <translation>%1 antwortet nicht wie die Schnittstelle von OpenAI</translation>
    </message>
</context>
<context>
    <name>fireside::ModelServer</name>
    <message>
        <source>The program is offline: other computers are not let in</source>
        <translation>Das Programm ist offline: Andere Computer werden nicht eingelassen</translation>
    </message>
    <message>
        <source>The key cannot be stored: %1</source>
        <translation>Der Schlüssel kann nicht gespeichert werden: %1</translation>
    </message>
</context>
<context>
    <name>fireside::Network</name>
    <message>
        <source>its authors let only those have it who accepted its terms: do so on its page, then try again</source>
        <translation>seine Autoren geben es nur denen, die ihre Bedingungen angenommen haben: bitte auf seiner Seite annehmen und wieder versuchen</translation>
    </message>
    <message>
        <source>its authors let only those have it who accepted its terms: do so on its page and give Fireside an access token</source>
        <translation>seine Autoren geben es nur denen, die ihre Bedingungen angenommen haben: bitte auf seiner Seite annehmen und Fireside einen Zugangsschlüssel geben</translation>
    </message>
    <message>
        <source>there is no such repository, or the access token may not read it</source>
        <translation>es gibt kein solches Repository, oder der Zugangsschlüssel darf es nicht lesen</translation>
    </message>
    <message>
        <source>there is no such repository, or it needs an access token</source>
        <translation>es gibt kein solches Repository, oder es braucht einen Zugangsschlüssel</translation>
    </message>
    <message>
        <source>the server does not accept the access token</source>
        <translation>der Server nimmt den Zugangsschlüssel nicht an</translation>
    </message>
    <message>
        <source>%1 has no such file (HTTP %2)</source>
        <translation>%1 hat keine solche Datei (HTTP %2)</translation>
    </message>
    <message>
        <source>%1 wants fewer requests (HTTP 429)</source>
        <translation>%1 möchte weniger Anfragen (HTTP 429)</translation>
    </message>
    <message>
        <source>%1 is out of order (HTTP %2)</source>
        <translation>%1 ist gestört (HTTP %2)</translation>
    </message>
    <message>
        <source>%1 refuses it (HTTP %2)</source>
        <translation>%1 verweigert es (HTTP %2)</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>the identity of %1 cannot be trusted: %2</source>
        <translation>der Identität von %1 ist nicht zu trauen: %2</translation>
    </message>
    <message>
        <source>%1 is not found: is there a connection?</source>
        <translation>%1 ist nicht zu finden: Gibt es eine Verbindung?</translation>
    </message>
    <message>
        <source>%1 refuses the connection: the server may not be running</source>
        <translation>%1 lehnt die Verbindung ab: Der Server läuft vielleicht nicht</translation>
    </message>
    <message>
        <source>%1 cut the connection</source>
        <translation>%1 hat die Verbindung abgebrochen</translation>
    </message>
    <message>
        <source>%1 does not speak HTTP</source>
        <translation>%1 spricht kein HTTP</translation>
    </message>
    <message>
        <source>the connection to %1 failed: %2</source>
        <translation>die Verbindung zu %1 ist misslungen: %2</translation>
    </message>
</context>
<context>
    <name>fireside::NetworkGate</name>
    <message>
        <source>refused: Fireside is offline</source>
        <translation>verweigert: Fireside ist offline</translation>
    </message>
    <message>
        <source>cut: Fireside went offline</source>
        <translation>abgebrochen: Fireside ging offline</translation>
    </message>
    <message>
        <source>ended by Fireside</source>
        <translation>von Fireside beendet</translation>
    </message>
</context>
<context>
    <name>fireside::NetworkStatus</name>
    <message>
        <source>Shows the downloads</source>
        <translation>Zeigt die Downloads</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>Offline</translation>
    </message>
    <message>
        <source>Fireside opens no connection. A click leads to the switch.</source>
        <translation>Fireside öffnet keine Verbindung. Ein Klick führt zum Schalter.</translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation>Wird heruntergeladen</translation>
    </message>
    <message>
        <source>Downloading: %1 %</source>
        <translation>Wird heruntergeladen: %1 %</translation>
    </message>
</context>
<context>
    <name>fireside::NoticeBar</name>
    <message>
        <source>Notices</source>
        <translation>Meldungen</translation>
    </message>
    <message>
        <source>Older notice</source>
        <translation>Ältere Meldung</translation>
    </message>
    <message>
        <source>Newer notice</source>
        <translation>Neuere Meldung</translation>
    </message>
    <message>
        <source>Dismiss this notice</source>
        <translation>Diese Meldung schließen</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
</context>
<context>
    <name>fireside::NumberText</name>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 Tok/s</translation>
    </message>
</context>
<context>
    <name>fireside::OfferModel</name>
    <message>
        <source>all of the repository</source>
        <translation>das ganze Repository</translation>
    </message>
    <message>
        <source>%1 (safetensors)</source>
        <translation>%1 (safetensors)</translation>
    </message>
    <message>
        <source>%1, %2 parts</source>
        <translation>%1, %2 Teile</translation>
    </message>
    <message>
        <source>Cannot be downloaded: %1</source>
        <translation>Nicht herunterladbar: %1</translation>
    </message>
    <message>
        <source>Estimate: %1</source>
        <translation>Schätzung: %1</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Will it fit?</source>
        <translation>Passt es?</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>Quantisierung</translation>
    </message>
</context>
<context>
    <name>fireside::PlacementPreview</name>
    <message>
        <source>there is not enough memory</source>
        <translation>es ist nicht genug Speicher da</translation>
    </message>
</context>
<context>
    <name>fireside::PlacementView</name>
    <message>
        <source>Expected: answer %1, prompt %2.</source>
        <translation>Erwartet: Antwort %1, Prompt %2.</translation>
    </message>
    <message>
        <source>Expected: answer %1.</source>
        <translation>Erwartet: Antwort %1.</translation>
    </message>
    <message>
        <source>Measured: answer %1, prompt %2.</source>
        <translation>Gemessen: Antwort %1, Prompt %2.</translation>
    </message>
    <message>
        <source>Measured: answer %1.</source>
        <translation>Gemessen: Antwort %1.</translation>
    </message>
    <message>
        <source>Its speed is not known.</source>
        <translation>Die Geschwindigkeit ist nicht bekannt.</translation>
    </message>
    <message>
        <source>Choose a model to see where it would run.</source>
        <translation>Ein Modell wählen, um zu sehen, wo es liefe.</translation>
    </message>
    <message>
        <source>Working out where it would run…</source>
        <translation>Es wird ermittelt, wo es liefe…</translation>
    </message>
    <message>
        <source>It fits</source>
        <translation>Es passt</translation>
    </message>
    <message>
        <source>It cannot run so</source>
        <translation>So kann es nicht laufen</translation>
    </message>
    <message>
        <source>taken</source>
        <translation>genommen</translation>
    </message>
    <message>
        <source>possible</source>
        <translation>möglich</translation>
    </message>
    <message>
        <source>not possible</source>
        <translation>nicht möglich</translation>
    </message>
    <message>
        <source>Context: %1 tokens, all that the model was trained for; %2 were asked for.</source>
        <translation>Kontext: %1 Token, alles, wofür das Modell trainiert wurde; verlangt waren %2.</translation>
    </message>
    <message>
        <source>Context: %1 tokens, so that it fits; %2 were asked for.</source>
        <translation>Kontext: %1 Token, damit es passt; verlangt waren %2.</translation>
    </message>
    <message>
        <source>Context: %1 tokens.</source>
        <translation>Kontext: %1 Token.</translation>
    </message>
</context>
<context>
    <name>fireside::PlainTextField</name>
    <message>
        <source>Very long lines were broken into several.</source>
        <translation>Sehr lange Zeilen wurden in mehrere geteilt.</translation>
    </message>
</context>
<context>
    <name>fireside::PresetBar</name>
    <message>
        <source>P&amp;reset</source>
        <translation>&amp;Voreinstellung</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>Voreinstellung</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>Voreinstellungen</translation>
    </message>
    <message>
        <source>Save, rename, delete, import and export presets</source>
        <translation>Voreinstellungen speichern, umbenennen, löschen, importieren und exportieren</translation>
    </message>
    <message>
        <source>&amp;Save as a preset…</source>
        <translation>Als Voreinstellung &amp;speichern…</translation>
    </message>
    <message>
        <source>&amp;Rename…</source>
        <translation>&amp;Umbenennen…</translation>
    </message>
    <message>
        <source>&amp;Delete</source>
        <translation>&amp;Löschen</translation>
    </message>
    <message>
        <source>“%1” was deleted. What was set by it stays.</source>
        <translation>„%1“ wurde gelöscht. Was damit eingestellt war, bleibt.</translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation>&amp;Importieren…</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>E&amp;xportieren…</translation>
    </message>
    <message>
        <source>As for all chats</source>
        <translation>Wie für alle Chats</translation>
    </message>
    <message>
        <source>None: as the model recommends</source>
        <translation>Keine: wie das Modell empfiehlt</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Save as a preset</source>
        <translation>Als Voreinstellung speichern</translation>
    </message>
    <message>
        <source>Rename the preset</source>
        <translation>Voreinstellung umbenennen</translation>
    </message>
    <message>
        <source>There is a preset called “%1” already.</source>
        <translation>Es gibt schon eine Voreinstellung „%1“.</translation>
    </message>
    <message>
        <source>Import presets</source>
        <translation>Voreinstellungen importieren</translation>
    </message>
    <message>
        <source>Presets (*.json)</source>
        <translation>Voreinstellungen (*.json)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Presets imported: %1.</source>
        <translation>Importierte Voreinstellungen: %1.</translation>
    </message>
    <message>
        <source>Export your presets</source>
        <translation>Eigene Voreinstellungen exportieren</translation>
    </message>
    <message>
        <source>presets</source>
        <translation>voreinstellungen</translation>
    </message>
    <message>
        <source>Exported as %1.</source>
        <translation>Als %1 exportiert.</translation>
    </message>
</context>
<context>
    <name>fireside::PresetStore</name>
    <message>
        <source>Precise</source>
        <translation>Genau</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>Kreativ</translation>
    </message>
    <message>
        <source>A preset needs a name.</source>
        <translation>Eine Voreinstellung braucht einen Namen.</translation>
    </message>
    <message>
        <source>The name has %1 letters, at most %2 are kept.</source>
        <translation>Der Name hat %1 Zeichen, höchstens %2 werden behalten.</translation>
    </message>
    <message>
        <source>“%1” comes with the program.</source>
        <translation>„%1“ gehört zum Programm.</translation>
    </message>
</context>
<context>
    <name>fireside::PrivacyPage</name>
    <message>
        <source>Offline</source>
        <translation>Offline</translation>
    </message>
    <message>
        <source>Stay &amp;offline</source>
        <translation>O&amp;ffline bleiben</translation>
    </message>
    <message>
        <source>Fireside then opens no connection at all, and hands no link to the browser. What runs is cut at once; downloads go on when you are online again. Chats with models on this computer need no connection; remote models cannot answer.</source>
        <translation>Fireside öffnet dann gar keine Verbindung und gibt keinen Link an den Browser weiter. Was läuft, wird sofort getrennt; Downloads gehen weiter, wenn Sie wieder online sind. Chats mit Modellen auf diesem Computer brauchen keine Verbindung; entfernte Modelle können nicht antworten.</translation>
    </message>
    <message>
        <source>Hugging Face</source>
        <translation>Hugging Face</translation>
    </message>
    <message>
        <source>&amp;Address, where it is a mirror</source>
        <translation>&amp;Adresse, falls es ein Spiegel ist</translation>
    </message>
    <message>
        <source>Access &amp;token, for models that are not open to all</source>
        <translation>Zugangs&amp;schlüssel für Modelle, die nicht allen offenstehen</translation>
    </message>
    <message>
        <source>S&amp;ave</source>
        <translation>S&amp;peichern</translation>
    </message>
    <message>
        <source>Re&amp;move</source>
        <translation>Ent&amp;fernen</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>Verbindungen</translation>
    </message>
    <message>
        <source>Every connection that Fireside ever asked for, allowed or refused. There are none besides these: no telemetry, no search for updates. The list stays on this computer.</source>
        <translation>Jede Verbindung, nach der Fireside je gefragt hat, erlaubt oder abgewiesen. Andere gibt es nicht: keine Telemetrie, keine Suche nach Updates. Die Liste bleibt auf diesem Computer.</translation>
    </message>
    <message>
        <source>&amp;Clear</source>
        <translation>&amp;Leeren</translation>
    </message>
    <message>
        <source>Clear the list of connections</source>
        <translation>Liste der Verbindungen leeren</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>E&amp;xportieren…</translation>
    </message>
    <message>
        <source>Export the list of connections</source>
        <translation>Liste der Verbindungen exportieren</translation>
    </message>
    <message>
        <source>This holds until the program ends, but cannot be remembered: %1</source>
        <translation>Dies gilt, bis das Programm endet, kann aber nicht gemerkt werden: %1</translation>
    </message>
    <message>
        <source>The variable HF_ENDPOINT says it</source>
        <translation>Die Variable HF_ENDPOINT sagt es</translation>
    </message>
    <message>
        <source>A token is stored in %1, which only you may read. It goes to %2 alone.</source>
        <translation>In %1 ist ein Schlüssel gespeichert, den nur Sie lesen dürfen. Er geht nur an %2.</translation>
    </message>
    <message>
        <source>The token of the variable HF_TOKEN is used. It goes to %1 alone.</source>
        <translation>Der Schlüssel der Variablen HF_TOKEN wird benutzt. Er geht nur an %1.</translation>
    </message>
    <message>
        <source>No token is stored. It would lie in %1, which only you may read.</source>
        <translation>Kein Schlüssel ist gespeichert. Er läge in %1, das nur Sie lesen dürfen.</translation>
    </message>
    <message>
        <source>Connections: %1</source>
        <translation>Verbindungen: %1</translation>
    </message>
    <message>
        <source>The list cannot be stored: %1</source>
        <translation>Die Liste kann nicht gespeichert werden: %1</translation>
    </message>
    <message>
        <source>The stored list cannot be deleted: %1</source>
        <translation>Die gespeicherte Liste kann nicht gelöscht werden: %1</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>Tabellen (*.csv)</translation>
    </message>
    <message>
        <source>It cannot be exported: %1</source>
        <translation>Sie kann nicht exportiert werden: %1</translation>
    </message>
</context>
<context>
    <name>fireside::PromptDialog</name>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>&amp;Use</source>
        <translation>&amp;Benutzen</translation>
    </message>
    <message>
        <source>&amp;Delete</source>
        <translation>&amp;Löschen</translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation>&amp;Importieren…</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>E&amp;xportieren…</translation>
    </message>
    <message>
        <source>Search prompts</source>
        <translation>Prompts durchsuchen</translation>
    </message>
    <message>
        <source>&amp;New prompt</source>
        <translation>&amp;Neuer Prompt</translation>
    </message>
    <message>
        <source>A message</source>
        <translation>Eine Nachricht</translation>
    </message>
    <message>
        <source>The chat&apos;s system prompt</source>
        <translation>Der Systemprompt des Chats</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Translate into {{language}}:</source>
        <translation>Übersetze ins {{Sprache}}:</translation>
    </message>
    <message>
        <source>N&amp;ame</source>
        <translation>N&amp;ame</translation>
    </message>
    <message>
        <source>&amp;For</source>
        <translation>&amp;Für</translation>
    </message>
    <message>
        <source>&amp;Text</source>
        <translation>&amp;Text</translation>
    </message>
    <message>
        <source>“%1” was deleted.</source>
        <translation>„%1“ wurde gelöscht.</translation>
    </message>
    <message>
        <source>Import prompts</source>
        <translation>Prompts importieren</translation>
    </message>
    <message>
        <source>Prompts (*.json)</source>
        <translation>Prompts (*.json)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Prompts imported: %1.</source>
        <translation>Importierte Prompts: %1.</translation>
    </message>
    <message>
        <source>Export prompts</source>
        <translation>Prompts exportieren</translation>
    </message>
    <message>
        <source>prompts</source>
        <translation>prompts</translation>
    </message>
    <message>
        <source>Exported as %1.</source>
        <translation>Als %1 exportiert.</translation>
    </message>
    <message>
        <source>What stands in double braces, like {{language}}, is asked for when the prompt is used.</source>
        <translation>Was in doppelten geschweiften Klammern steht, wie {{Sprache}}, wird beim Benutzen erfragt.</translation>
    </message>
    <message>
        <source>Asked for when it is used: %1</source>
        <translation>Beim Benutzen erfragt: %1</translation>
    </message>
</context>
<context>
    <name>fireside::PromptInserter</name>
    <message>
        <source>“%1” is now the system prompt of this chat.</source>
        <translation>„%1“ ist jetzt der Systemprompt dieses Chats.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
</context>
<context>
    <name>fireside::PromptPopup</name>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>%1 (system prompt)</source>
        <translation>%1 (Systemprompt)</translation>
    </message>
    <message>
        <source>No prompts yet: write one…</source>
        <translation>Noch keine Prompts: einen schreiben…</translation>
    </message>
    <message>
        <source>All prompts…</source>
        <translation>Alle Prompts…</translation>
    </message>
</context>
<context>
    <name>fireside::PromptStore</name>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
</context>
<context>
    <name>fireside::QueuedMessage</name>
    <message>
        <source>Next:</source>
        <translation>Als Nächstes:</translation>
    </message>
    <message>
        <source>Edit the queued message</source>
        <translation>Die wartende Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Do not send the queued message</source>
        <translation>Die wartende Nachricht nicht senden</translation>
    </message>
    <message>
        <source>Queued message: %1</source>
        <translation>Wartende Nachricht: %1</translation>
    </message>
</context>
<context>
    <name>fireside::Remote</name>
    <message>
        <source>its answer does not end</source>
        <translation>seine Antwort endet nicht</translation>
    </message>
    <message>
        <source>its answer holds a piece that does not end</source>
        <translation>seine Antwort enthält ein Stück, das nicht endet</translation>
    </message>
    <message>
        <source>its answer is empty</source>
        <translation>seine Antwort ist leer</translation>
    </message>
    <message>
        <source>it reports an error without words</source>
        <translation>er meldet einen Fehler ohne Worte</translation>
    </message>
    <message>
        <source>it calls too many tools at once</source>
        <translation>er ruft zu viele Werkzeuge auf einmal auf</translation>
    </message>
    <message>
        <source>the arguments of a call do not end</source>
        <translation>die Argumente eines Aufrufs enden nicht</translation>
    </message>
    <message>
        <source>Answers come from %1; nothing is computed here. What you write goes there without encryption.</source>
        <translation>Antworten kommen von %1; hier wird nichts berechnet. Was Sie schreiben, geht unverschlüsselt dorthin.</translation>
    </message>
    <message>
        <source>Answers come from %1; nothing is computed here</source>
        <translation>Antworten kommen von %1; hier wird nichts berechnet</translation>
    </message>
    <message>
        <source>a web page, “%1”</source>
        <translation>eine Webseite, „%1“</translation>
    </message>
    <message>
        <source>a web page</source>
        <translation>eine Webseite</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 min</translation>
    </message>
    <message>
        <source>%1 does not accept the key (HTTP 401)</source>
        <translation>%1 nimmt den Schlüssel nicht an (HTTP 401)</translation>
    </message>
    <message>
        <source>%1 wants a key (HTTP 401)</source>
        <translation>%1 möchte einen Schlüssel (HTTP 401)</translation>
    </message>
    <message>
        <source>%1 does not allow it (HTTP 403)</source>
        <translation>%1 erlaubt es nicht (HTTP 403)</translation>
    </message>
    <message>
        <source>%1 has no model “%2” (HTTP 404)</source>
        <translation>%1 hat kein Modell „%2“ (HTTP 404)</translation>
    </message>
    <message>
        <source>%1 has no such address (HTTP 404); most servers are found at an address that ends in /v1</source>
        <translation>%1 hat keine solche Adresse (HTTP 404); die meisten Server findet man unter einer Adresse, die auf /v1 endet</translation>
    </message>
    <message>
        <source>the account at %1 is used up (HTTP 429)</source>
        <translation>das Konto bei %1 ist aufgebraucht (HTTP 429)</translation>
    </message>
    <message>
        <source>%1 wants fewer requests, and none for %2 (HTTP 429)</source>
        <translation>%1 möchte weniger Anfragen, und keine für %2 (HTTP 429)</translation>
    </message>
    <message>
        <source>%1 wants fewer requests (HTTP 429)</source>
        <translation>%1 möchte weniger Anfragen (HTTP 429)</translation>
    </message>
    <message>
        <source>%1 cannot answer at present (HTTP %2)</source>
        <translation>%1 kann zurzeit nicht antworten (HTTP %2)</translation>
    </message>
    <message>
        <source>%1 has failed (HTTP %2)</source>
        <translation>%1 ist ausgefallen (HTTP %2)</translation>
    </message>
    <message>
        <source>%1 refuses the request (HTTP %2)</source>
        <translation>%1 weist die Anfrage ab (HTTP %2)</translation>
    </message>
    <message>
        <source>an address is missing, such as http://localhost:8000</source>
        <translation>es fehlt eine Adresse, etwa http://localhost:8000</translation>
    </message>
    <message>
        <source>this is no address of the form http://host:port or https://host/path</source>
        <translation>dies ist keine Adresse der Form http://host:port oder https://host/pfad</translation>
    </message>
    <message>
        <source>an address may hold no password, “?” or “#”: a key has its own field</source>
        <translation>eine Adresse darf kein Passwort, „?“ oder „#“ enthalten: Für den Schlüssel gibt es ein eigenes Feld</translation>
    </message>
    <message>
        <source>“%1” is no header of the form “Name: value”</source>
        <translation>„%1“ ist keine Kopfzeile der Form „Name: Wert“</translation>
    </message>
    <message>
        <source>the header “%1” is set by the connection itself</source>
        <translation>die Kopfzeile „%1“ setzt die Verbindung selbst</translation>
    </message>
    <message>
        <source>%1 headers at most can be set</source>
        <translation>höchstens %1 Kopfzeilen können gesetzt werden</translation>
    </message>
    <message>
        <source>this desktop has no keyring that runs</source>
        <translation>auf diesem Desktop läuft kein Schlüsselbund</translation>
    </message>
    <message>
        <source>the keyring was not opened</source>
        <translation>der Schlüsselbund wurde nicht geöffnet</translation>
    </message>
    <message>
        <source>the keyring says: %1</source>
        <translation>der Schlüsselbund sagt: %1</translation>
    </message>
    <message>
        <source>this program was built without QtKeychain</source>
        <translation>dieses Programm wurde ohne QtKeychain gebaut</translation>
    </message>
    <message>
        <source>its answer is not in the form of OpenAI&apos;s</source>
        <translation>seine Antwort hat nicht die Form von OpenAI</translation>
    </message>
    <message>
        <source>%1 has no such model; it has: %2</source>
        <translation>%1 hat kein solches Modell; es hat: %2</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keines</translation>
    </message>
</context>
<context>
    <name>fireside::RemoteModels</name>
    <message>
        <source>Its server is no longer in the list</source>
        <translation>Sein Server ist nicht mehr in der Liste</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1 bei %2</translation>
    </message>
    <message>
        <source>its server is no longer in the list</source>
        <translation>sein Server ist nicht mehr in der Liste</translation>
    </message>
    <message>
        <source>the server of %1 was removed from the list of servers; choose another model, or add it again</source>
        <translation>der Server von %1 wurde aus der Liste der Server entfernt; wählen Sie ein anderes Modell oder fügen Sie ihn wieder hinzu</translation>
    </message>
</context>
<context>
    <name>fireside::RemoteReply</name>
    <message>
        <source>%1 cannot go on with an answer that was begun; regenerate it</source>
        <translation>%1 kann eine angefangene Antwort nicht fortsetzen; bitte neu erzeugen</translation>
    </message>
    <message>
        <source>reply of %1</source>
        <translation>Antwort von %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>the answer of %1 broke off</source>
        <translation>die Antwort von %1 brach ab</translation>
    </message>
    <message>
        <source>%1 ended the reply because of an error</source>
        <translation>%1 beendete die Antwort wegen eines Fehlers</translation>
    </message>
    <message>
        <source>%1; trying again in %2 s (attempt %3 of %4)</source>
        <translation>%1; neuer Versuch in %2 s (Versuch %3 von %4)</translation>
    </message>
</context>
<context>
    <name>fireside::RemoteServers</name>
    <message>
        <source>The list of servers was damaged. It was set aside as %1.</source>
        <translation>Die Liste der Server war beschädigt. Sie wurde als %1 beiseitegelegt.</translation>
    </message>
    <message>
        <source>The list of servers cannot be stored: %1</source>
        <translation>Die Liste der Server kann nicht gespeichert werden: %1</translation>
    </message>
    <message>
        <source>its key is no longer known; enter it again in the settings</source>
        <translation>sein Schlüssel ist nicht mehr bekannt; bitte in den Einstellungen neu eingeben</translation>
    </message>
    <message>
        <source>its key cannot be read: %1</source>
        <translation>sein Schlüssel ist nicht lesbar: %1</translation>
    </message>
    <message>
        <source>its key is not in the keyring; enter it again in the settings</source>
        <translation>sein Schlüssel ist nicht im Schlüsselbund; bitte in den Einstellungen neu eingeben</translation>
    </message>
    <message>
        <source>a key consists of printable letters without spaces</source>
        <translation>ein Schlüssel besteht aus druckbaren Zeichen ohne Leerzeichen</translation>
    </message>
</context>
<context>
    <name>fireside::ReplyDetailsDialog</name>
    <message>
        <source>after %1 letters to %2: %3</source>
        <translation>nach %1 Zeichen zu %2: %3</translation>
    </message>
    <message>
        <source>%1 in %2 s</source>
        <translation>%1 in %2 s</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>File&apos;s fingerprint</source>
        <translation>Fingerabdruck der Datei</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>Quantisierung</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>Backend</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>Treiber</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>Verteilung</translation>
    </message>
    <message>
        <source>Moved</source>
        <translation>Umgezogen</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>%1 tokens, %2</source>
        <translation>%1 Token, %2</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>reused %1 of %2 tokens, computed %3</source>
        <translation>%1 von %2 Token wiederverwendet, %3 berechnet</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>Ended by</source>
        <translation>Beendet durch</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>Gedanken</translation>
    </message>
    <message>
        <source>ended after %1 tokens</source>
        <translation>nach %1 Token beendet</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Systemprompt</translation>
    </message>
    <message>
        <source>Continued</source>
        <translation>Fortgesetzt</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>The same: every word as it was.</source>
        <translation>Gleich: jedes Wort, wie es war.</translation>
    </message>
    <message>
        <source>It differs from letter %1 on: “%2”, it was “%3”.</source>
        <translation>Sie weicht ab Zeichen %1 ab: „%2“, es war „%3“.</translation>
    </message>
    <message>
        <source>Nothing that is recorded differs.</source>
        <translation>Nichts, was aufgezeichnet ist, weicht ab.</translation>
    </message>
    <message>
        <source>What is not as it was: %1.</source>
        <translation>Was nicht ist, wie es war: %1.</translation>
    </message>
    <message>
        <source>How this reply was made</source>
        <translation>Wie diese Antwort entstand</translation>
    </message>
    <message>
        <source>&amp;Replay exactly</source>
        <translation>Genau &amp;wiederholen</translation>
    </message>
    <message>
        <source>Computes the reply once more with the same seed and settings, and compares the words</source>
        <translation>Berechnet die Antwort noch einmal mit demselben Seed und denselben Einstellungen und vergleicht die Wörter</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>Computing…</source>
        <translation>Es wird gerechnet…</translation>
    </message>
    <message>
        <source>Computing… %1 of %2 tokens</source>
        <translation>Es wird gerechnet… %1 von %2 Token</translation>
    </message>
    <message>
        <source>In place of a server</source>
        <translation>Anstelle eines Servers</translation>
    </message>
    <message>
        <source>Not sent to the server</source>
        <translation>Nicht an den Server gesendet</translation>
    </message>
    <message>
        <source>Model reported by the server</source>
        <translation>Modell laut Server</translation>
    </message>
</context>
<context>
    <name>fireside::ReplyReplay</name>
    <message>
        <source>This reply has no record of how it was made.</source>
        <translation>Diese Antwort hat keine Aufzeichnung davon, wie sie entstand.</translation>
    </message>
    <message>
        <source>This reply was continued; only one that was written in one go can be computed again.</source>
        <translation>Diese Antwort wurde fortgesetzt; nur eine in einem Zug geschriebene kann noch einmal berechnet werden.</translation>
    </message>
    <message>
        <source>Summaries are not computed again.</source>
        <translation>Zusammenfassungen werden nicht noch einmal berechnet.</translation>
    </message>
    <message>
        <source>This reply was not finished.</source>
        <translation>Diese Antwort wurde nicht fertig.</translation>
    </message>
    <message>
        <source>%1 is “%2”, it was “%3”</source>
        <translation>%1 ist „%2“, es war „%3“</translation>
    </message>
    <message>
        <source>the model</source>
        <translation>das Modell</translation>
    </message>
    <message>
        <source>the model&apos;s file has other contents</source>
        <translation>die Datei des Modells hat einen anderen Inhalt</translation>
    </message>
    <message>
        <source>its weights were quantised otherwise while loading</source>
        <translation>seine Gewichte wurden beim Laden anders quantisiert</translation>
    </message>
    <message>
        <source>the backend</source>
        <translation>das Backend</translation>
    </message>
    <message>
        <source>the device</source>
        <translation>das Gerät</translation>
    </message>
    <message>
        <source>the placement</source>
        <translation>die Verteilung</translation>
    </message>
    <message>
        <source>the context memory</source>
        <translation>der Kontextspeicher</translation>
    </message>
    <message>
        <source>the program&apos;s version</source>
        <translation>die Version des Programms</translation>
    </message>
    <message>
        <source>a device failed in the middle of it, and it went on elsewhere</source>
        <translation>mittendrin fiel ein Gerät aus, und es ging anderswo weiter</translation>
    </message>
    <message>
        <source>The model is not ready.</source>
        <translation>Das Modell ist nicht bereit.</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>Es wurde gestoppt.</translation>
    </message>
    <message>
        <source>%1 tokens of the prompt were taken from the cache, %2 then: computed in other passes they differ in the last digits</source>
        <translation>%1 Token des Prompts kamen aus dem Zwischenspeicher, damals %2: In anderen Durchgängen berechnet, unterscheiden sie sich in den letzten Stellen</translation>
    </message>
    <message>
        <source>This reply was written by a server, whose computing is not known; only replies of this computer can be computed again exactly.</source>
        <translation>Diese Antwort schrieb ein Server, dessen Rechnung nicht bekannt ist; nur Antworten dieses Computers können genau wiederholt werden.</translation>
    </message>
    <message>
        <source>The model that is loaded runs on a server, which cannot compute it exactly; load the model that wrote it.</source>
        <translation>Das geladene Modell läuft auf einem Server, der es nicht genau berechnen kann; bitte das Modell laden, das sie schrieb.</translation>
    </message>
</context>
<context>
    <name>fireside::RepositoryModel</name>
    <message>
        <source>after accepting terms</source>
        <translation>nach Annahme der Bedingungen</translation>
    </message>
    <message>
        <source>open to all</source>
        <translation>offen für alle</translation>
    </message>
    <message>
        <source>Repository</source>
        <translation>Repository</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Likes</source>
        <translation>Gefällt</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>Access</source>
        <translation>Zugang</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
</context>
<context>
    <name>fireside::SamplingEditor</name>
    <message>
        <source>What is on works in this order: likelier words, penalties, DRY, top-n-sigma, top-k, temperature, typical-p, min-p, top-p, XTC. Mirostat takes the place of everything from top-n-sigma on but the temperature.</source>
        <translation>Was an ist, wirkt in dieser Reihenfolge: wahrscheinlichere Wörter, Abzüge, DRY, Top-n-sigma, Top-k, Temperatur, Typical-p, Min-p, Top-p, XTC. Mirostat tritt an die Stelle von allem ab Top-n-sigma außer der Temperatur.</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <translation>%1 zurücksetzen</translation>
    </message>
    <message>
        <source>%1 (%2 set)</source>
        <translation>%1 (%2 eingestellt)</translation>
    </message>
    <message>
        <source>Recommended by %1</source>
        <translation>Empfohlen von %1</translation>
    </message>
    <message>
        <source>Preset %1, for all chats</source>
        <translation>Voreinstellung %1, für alle Chats</translation>
    </message>
    <message>
        <source>Preset %1</source>
        <translation>Voreinstellung %1</translation>
    </message>
    <message>
        <source>Set for all chats</source>
        <translation>Für alle Chats eingestellt</translation>
    </message>
    <message>
        <source>Set here</source>
        <translation>Hier eingestellt</translation>
    </message>
    <message>
        <source>Set for this chat</source>
        <translation>Für diesen Chat eingestellt</translation>
    </message>
</context>
<context>
    <name>fireside::ServerDialog</name>
    <message>
        <source>Add a server</source>
        <translation>Server hinzufügen</translation>
    </message>
    <message>
        <source>Change a server</source>
        <translation>Server ändern</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>&amp;Adresse</translation>
    </message>
    <message>
        <source>This address is not encrypted: whoever is on the way can read what you write, and the key. Between computers https is safer, or a tunnel.</source>
        <translation>Diese Adresse ist nicht verschlüsselt: Wer auf dem Weg sitzt, kann lesen, was Sie schreiben, und den Schlüssel. Zwischen Computern ist https sicherer, oder ein Tunnel.</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <source>As it is to be called; empty: its address</source>
        <translation>Wie er heißen soll; leer: seine Adresse</translation>
    </message>
    <message>
        <source>The key could not be stored: %1. Choose another place for it.</source>
        <translation>Der Schlüssel konnte nicht gespeichert werden: %1. Bitte einen anderen Ort wählen.</translation>
    </message>
    <message>
        <source>&amp;Key</source>
        <translation>S&amp;chlüssel</translation>
    </message>
    <message>
        <source>Where the key is kept</source>
        <translation>Wo der Schlüssel aufbewahrt wird</translation>
    </message>
    <message>
        <source>In the desktop&apos;s keyring</source>
        <translation>Im Schlüsselbund des Desktops</translation>
    </message>
    <message>
        <source>Nowhere: until Fireside ends</source>
        <translation>Nirgends: bis Fireside endet</translation>
    </message>
    <message>
        <source>In a file that only you can read, not encrypted</source>
        <translation>In einer Datei, die nur Sie lesen können, unverschlüsselt</translation>
    </message>
    <message>
        <source>Forget the key</source>
        <translation>Schlüssel vergessen</translation>
    </message>
    <message>
        <source>Kee&amp;p the key</source>
        <translation>Schlüssel au&amp;fbewahren</translation>
    </message>
    <message>
        <source>&amp;Models</source>
        <translation>&amp;Modelle</translation>
    </message>
    <message>
        <source>Only where the server does not list them; several: a, b</source>
        <translation>Nur wo der Server sie nicht aufzählt; mehrere: a, b</translation>
    </message>
    <message>
        <source>Headers</source>
        <translation>Kopfzeilen</translation>
    </message>
    <message>
        <source>Rarely needed. Name: value, one per line</source>
        <translation>Selten nötig. Name: Wert, eine je Zeile</translation>
    </message>
    <message>
        <source>&amp;Headers</source>
        <translation>&amp;Kopfzeilen</translation>
    </message>
    <message>
        <source>&amp;Test connection</source>
        <translation>Verbindung &amp;prüfen</translation>
    </message>
    <message>
        <source>Result of the test</source>
        <translation>Ergebnis der Prüfung</translation>
    </message>
    <message>
        <source>Stays as it is</source>
        <translation>Bleibt, wie er ist</translation>
    </message>
    <message>
        <source>Only where the server wants one</source>
        <translation>Nur wenn der Server einen verlangt</translation>
    </message>
    <message>
        <source>a key consists of printable letters without spaces</source>
        <translation>ein Schlüssel besteht aus druckbaren Zeichen ohne Leerzeichen</translation>
    </message>
    <message>
        <source>Asking %1…</source>
        <translation>%1 wird gefragt…</translation>
    </message>
    <message>
        <source>%1 (%2 tokens)</source>
        <translation>%1 (%2 Token)</translation>
    </message>
    <message>
        <source>… and %1 more</source>
        <translation>… und %1 weitere</translation>
    </message>
    <message>
        <source>It answers. Its models (%1):</source>
        <translation>Er antwortet. Seine Modelle (%1):</translation>
    </message>
    <message>
        <source>%1 answers. Its models (%2):</source>
        <translation>%1 antwortet. Seine Modelle (%2):</translation>
    </message>
    <message>
        <source>It answers, but has no models.</source>
        <translation>Er antwortet, hat aber keine Modelle.</translation>
    </message>
</context>
<context>
    <name>fireside::ServerPage</name>
    <message>
        <source>Server for other programs</source>
        <translation>Server für andere Programme</translation>
    </message>
    <message>
        <source>Address for other programs</source>
        <translation>Adresse für andere Programme</translation>
    </message>
    <message>
        <source>It is off</source>
        <translation>Er ist aus</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Adresse kopieren</translation>
    </message>
    <message>
        <source>Key that programs must send</source>
        <translation>Schlüssel, den Programme senden müssen</translation>
    </message>
    <message>
        <source>None: every program on this computer may ask</source>
        <translation>Keiner: Jedes Programm auf diesem Computer darf fragen</translation>
    </message>
    <message>
        <source>&amp;Show</source>
        <translation>&amp;Zeigen</translation>
    </message>
    <message>
        <source>Show the key</source>
        <translation>Schlüssel zeigen</translation>
    </message>
    <message>
        <source>&amp;New key</source>
        <translation>&amp;Neuer Schlüssel</translation>
    </message>
    <message>
        <source>Make a new key</source>
        <translation>Einen neuen Schlüssel machen</translation>
    </message>
    <message>
        <source>C&amp;opy</source>
        <translation>K&amp;opieren</translation>
    </message>
    <message>
        <source>Copy the key</source>
        <translation>Schlüssel kopieren</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>&amp;Adresse</translation>
    </message>
    <message>
        <source>&amp;Key</source>
        <translation>S&amp;chlüssel</translation>
    </message>
    <message>
        <source>Programs that asked</source>
        <translation>Programme, die gefragt haben</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>Tokens read</source>
        <translation>Gelesene Token</translation>
    </message>
    <message>
        <source>Tokens written</source>
        <translation>Geschriebene Token</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message numerus="yes">
        <source>On, with the model %1: %n replies are being written, %2 requests wait; %3 together</source>
        <translation>
            <numerusform>An, mit dem Modell %1: %n Antwort wird geschrieben, %2 Anfragen warten; zusammen %3</numerusform>
            <numerusform>An, mit dem Modell %1: %n Antworten werden geschrieben, %2 Anfragen warten; zusammen %3</numerusform>
        </translation>
    </message>
    <message>
        <source>without a name</source>
        <translation>ohne Namen</translation>
    </message>
    <message>
        <source>%1 (asks now)</source>
        <translation>%1 (fragt gerade)</translation>
    </message>
    <message>
        <source>On; no model is loaded on this computer</source>
        <translation>Ein; auf diesem Rechner ist kein Modell geladen</translation>
    </message>
    <message>
        <source>On, with the model %1: nobody asks just now</source>
        <translation>Ein, mit dem Modell %1: Zurzeit fragt niemand</translation>
    </message>
    <message>
        <source>It could not be started</source>
        <translation>Er konnte nicht gestartet werden</translation>
    </message>
    <message>
        <source>It is on, but could not be started</source>
        <translation>Eingeschaltet, konnte aber nicht gestartet werden</translation>
    </message>
</context>
<context>
    <name>fireside::ServersPage</name>
    <message>
        <source>asking…</source>
        <translation>wird gefragt…</translation>
    </message>
    <message>
        <source>models: %1</source>
        <translation>Modelle: %1</translation>
    </message>
    <message>
        <source>Servers elsewhere</source>
        <translation>Server anderswo</translation>
    </message>
    <message>
        <source>Models that other computers or programs run: vLLM, SGLang, llama-server, LM Studio, Ollama, or a service. Chats with them are sent there; nothing is computed here.</source>
        <translation>Modelle, die andere Computer oder Programme ausführen: vLLM, SGLang, llama-server, LM Studio, Ollama oder ein Dienst. Chats mit ihnen werden dorthin gesendet; hier wird nichts berechnet.</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>No server was added yet.</source>
        <translation>Noch wurde kein Server hinzugefügt.</translation>
    </message>
    <message>
        <source>&amp;Add…</source>
        <translation>&amp;Hinzufügen…</translation>
    </message>
    <message>
        <source>&amp;Change…</source>
        <translation>&amp;Ändern…</translation>
    </message>
    <message>
        <source>&amp;Remove…</source>
        <translation>&amp;Entfernen…</translation>
    </message>
    <message>
        <source>&amp;How to run large models</source>
        <translation>&amp;Wie man große Modelle ausführt</translation>
    </message>
    <message>
        <source>A&amp;nswer on this computer while a server cannot be reached</source>
        <translation>A&amp;uf diesem Computer antworten, solange ein Server nicht erreichbar ist</translation>
    </message>
    <message>
        <source>the starter model</source>
        <translation>dem Startmodell</translation>
    </message>
    <message>
        <source>With the model of this computer that was used last: %1. The reply says so, and the next message goes to the server again.</source>
        <translation>Mit dem Modell dieses Computers, das zuletzt benutzt wurde: %1. Die Antwort sagt es, und die nächste Nachricht geht wieder an den Server.</translation>
    </message>
    <message>
        <source>Remove a server</source>
        <translation>Server entfernen</translation>
    </message>
    <message>
        <source>Remove “%1” from the list?</source>
        <translation>„%1“ aus der Liste entfernen?</translation>
    </message>
    <message>
        <source>Its key is deleted, too. Chats with its models stay.</source>
        <translation>Auch sein Schlüssel wird gelöscht. Chats mit seinen Modellen bleiben.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Models of servers</source>
        <translation>Modelle von Servern</translation>
    </message>
</context>
<context>
    <name>fireside::SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>Backend</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>Erzeugung</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Aussehen</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>Ablage</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>Privatsphäre</translation>
    </message>
    <message>
        <source>Local server</source>
        <translation>Lokaler Server</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
</context>
<context>
    <name>fireside::ShortcutsPage</name>
    <message>
        <source> or </source>
        <translation> oder </translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>Nachricht senden</translation>
    </message>
    <message>
        <source>New line in the message</source>
        <translation>Neue Zeile in der Nachricht</translation>
    </message>
    <message>
        <source>Edit the last message (in an empty field)</source>
        <translation>Letzte Nachricht bearbeiten (in einem leeren Feld)</translation>
    </message>
</context>
<context>
    <name>fireside::SignInBar</name>
    <message>
        <source>Copy the &amp;address</source>
        <translation>&amp;Adresse kopieren</translation>
    </message>
    <message>
        <source>Waiting for the browser, in which %1 asks you to sign in for the tool server “%2”.</source>
        <translation>Es wird auf den Browser gewartet, in dem %1 Sie um die Anmeldung für den Werkzeugserver „%2“ bittet.</translation>
    </message>
    <message>
        <source>The tool server “%1” wants more rights, which %2 gives.</source>
        <translation>Der Werkzeugserver „%1“ verlangt mehr Rechte, die %2 erteilt.</translation>
    </message>
    <message>
        <source>The tool server “%1” wants you to sign in at %2.</source>
        <translation>Der Werkzeugserver „%1“ verlangt, dass Sie sich bei %2 anmelden.</translation>
    </message>
    <message>
        <source>It asks for: %1.</source>
        <translation>Er verlangt: %1.</translation>
    </message>
    <message>
        <source>The page opens in your browser, and what you enter there stays there. Fireside gets a token for this server alone.</source>
        <translation>Die Seite öffnet sich in Ihrem Browser, und was Sie dort eingeben, bleibt dort. Fireside bekommt ein Token für diesen Server allein.</translation>
    </message>
    <message>
        <source>You are not signed in: %1.</source>
        <translation>Sie sind nicht angemeldet: %1.</translation>
    </message>
    <message>
        <source>&amp;Sign in at %1</source>
        <translation>Bei %1 &amp;anmelden</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>A&amp;bbrechen</translation>
    </message>
    <message>
        <source>&amp;Not now</source>
        <translation>&amp;Nicht jetzt</translation>
    </message>
</context>
<context>
    <name>fireside::SleepWatch</name>
    <message>
        <source>The model leaves the graphics card</source>
        <translation>Das Modell verlässt die Grafikkarte</translation>
    </message>
</context>
<context>
    <name>fireside::Startup</name>
    <message>
        <source>listens for other programs</source>
        <translation>lauscht auf andere Programme</translation>
    </message>
    <message>
        <source>closed</source>
        <translation>geschlossen</translation>
    </message>
</context>
<context>
    <name>fireside::StatusPanel</name>
    <message>
        <source>Idle</source>
        <translation>Untätig</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Working</source>
        <translation>Arbeitet</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Opens the model picker</source>
        <translation>Öffnet die Modellauswahl</translation>
    </message>
    <message>
        <source>Opens the details of every device</source>
        <translation>Öffnet die Einzelheiten jedes Geräts</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>How fast the model reads</source>
        <translation>Wie schnell das Modell liest</translation>
    </message>
    <message>
        <source>How fast the model writes</source>
        <translation>Wie schnell das Modell schreibt</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>Verteilung</translation>
    </message>
    <message>
        <source>Loading progress</source>
        <translation>Fortschritt des Ladens</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>Laden abbrechen</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Where it runs and why</source>
        <translation>Wo es läuft und warum</translation>
    </message>
    <message>
        <source>Prompt %1</source>
        <translation>Prompt %1</translation>
    </message>
    <message>
        <source>Answer %1</source>
        <translation>Antwort %1</translation>
    </message>
    <message>
        <source>%1 – starter (built in)</source>
        <translation>%1 – Startmodell (eingebaut)</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>Kein Modell</translation>
    </message>
    <message>
        <source>Loading %1 was cancelled. Choose a model to start.</source>
        <translation>Das Laden von %1 wurde abgebrochen. Bitte ein Modell wählen.</translation>
    </message>
    <message>
        <source>Could not load %1: %2</source>
        <translation>%1 konnte nicht geladen werden: %2</translation>
    </message>
    <message>
        <source>No model is loaded. Choose one to start.</source>
        <translation>Kein Modell ist geladen. Bitte eines wählen.</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Wird gestoppt…</translation>
    </message>
    <message>
        <source>The last reply failed: %1</source>
        <translation>Die letzte Antwort ist misslungen: %1</translation>
    </message>
    <message>
        <source>%1 predicted</source>
        <translation>%1 vorhergesagt</translation>
    </message>
    <message>
        <source>%1 of %2 predicted</source>
        <translation>%1 von %2 vorhergesagt</translation>
    </message>
    <message>
        <source>In use now: %1.</source>
        <translation>Jetzt belegt: %1.</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Tokens of this chat the model has read, of the %1 it has room for.</source>
        <translation>Token dieses Chats, die das Modell gelesen hat, von den %1, für die Platz ist.</translation>
    </message>
    <message>
        <source>The model was trained for %1; the settings can give it more.</source>
        <translation>Das Modell wurde für %1 trainiert; die Einstellungen können ihm mehr geben.</translation>
    </message>
    <message>
        <source> · oldest left out</source>
        <translation> · älteste weggelassen</translation>
    </message>
    <message>
        <source>The chat is longer than that: its oldest messages are kept, but the model no longer sees them.</source>
        <translation>Der Chat ist länger: Seine ältesten Nachrichten bleiben, aber das Modell sieht sie nicht mehr.</translation>
    </message>
    <message>
        <source> · full</source>
        <translation> · voll</translation>
    </message>
    <message>
        <source> · nearly full</source>
        <translation> · fast voll</translation>
    </message>
    <message>
        <source>reading %1 of %2</source>
        <translation>liest %1 von %2</translation>
    </message>
    <message>
        <source>%1 of %2 reused</source>
        <translation>%1 von %2 wiederverwendet</translation>
    </message>
    <message>
        <source>No model yet</source>
        <translation>Noch kein Modell</translation>
    </message>
    <message>
        <source>Looking at this computer&apos;s processors…</source>
        <translation>Die Prozessoren dieses Computers werden angesehen…</translation>
    </message>
    <message>
        <source>Loading %1…</source>
        <translation>%1 wird geladen…</translation>
    </message>
    <message>
        <source>Opens the settings of the server</source>
        <translation>Öffnet die Einstellungen des Servers</translation>
    </message>
    <message>
        <source>Server: problem</source>
        <translation>Server: Problem</translation>
    </message>
    <message>
        <source>Server: ready</source>
        <translation>Server: bereit</translation>
    </message>
    <message numerus="yes">
        <source>Server: %n programs, %1</source>
        <translation>
            <numerusform>Server: %n Programm, %1</numerusform>
            <numerusform>Server: %n Programme, %1</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>room for %1</source>
        <translation>Platz für %1</translation>
    </message>
    <message>
        <source>counted by the server</source>
        <translation>vom Server gezählt</translation>
    </message>
    <message>
        <source>The server counts the tokens of this chat and tells them with each reply.</source>
        <translation>Der Server zählt die Token dieses Chats und nennt sie mit jeder Antwort.</translation>
    </message>
    <message>
        <source>Server: 1 program, %1</source>
        <translation>Server: 1 Programm, %1</translation>
    </message>
    <message>
        <source>Server: no model</source>
        <translation>Server: kein Modell</translation>
    </message>
    <message>
        <source>Predicted before loading: %1 (weights %2, context memory %3, the rest for calculations). The program&apos;s own memory is not part of it.</source>
        <translation>Vor dem Laden vorhergesagt: %1 (Gewichte %2, Kontextspeicher %3, der Rest für Berechnungen). Der Speicher des Programms selbst ist nicht dabei.</translation>
    </message>
    <message>
        <source>%1 were asked for; the model was trained for no more.</source>
        <translation>Verlangt waren %1; für mehr wurde das Modell nicht trainiert.</translation>
    </message>
</context>
<context>
    <name>fireside::StoragePage</name>
    <message>
        <source>Computed chats</source>
        <translation>Berechnete Chats</translation>
    </message>
    <message>
        <source>Disk space of computed chats</source>
        <translation>Plattenplatz berechneter Chats</translation>
    </message>
    <message>
        <source>&amp;Clear</source>
        <translation>&amp;Leeren</translation>
    </message>
    <message>
        <source>Clear computed chats</source>
        <translation>Berechnete Chats leeren</translation>
    </message>
    <message>
        <source>The chats stay; they are computed again when they go on.</source>
        <translation>Die Chats bleiben; sie werden neu berechnet, wenn sie weitergehen.</translation>
    </message>
    <message>
        <source>%1 of %2 on the disk, %3 in memory; %4 tokens</source>
        <translation>%1 von %2 auf der Festplatte, %3 im Arbeitsspeicher; %4 Token</translation>
    </message>
</context>
<context>
    <name>fireside::TextAttachment</name>
    <message>
        <source>“%1” is not a file.</source>
        <translation>„%1“ ist keine Datei.</translation>
    </message>
    <message>
        <source>“%1” is too long for a message: %2 KB, %3 KB at most.</source>
        <translation>„%1“ ist zu lang für eine Nachricht: %2 KB, höchstens %3 KB.</translation>
    </message>
    <message>
        <source>“%1” cannot be read: %2</source>
        <translation>„%1“ ist nicht lesbar: %2</translation>
    </message>
    <message>
        <source>“%1” is not a text file.</source>
        <translation>„%1“ ist keine Textdatei.</translation>
    </message>
</context>
<context>
    <name>fireside::ThinkingButton</name>
    <message>
        <source>How the model thinks in this chat</source>
        <translation>Wie das Modell in diesem Chat denkt</translation>
    </message>
    <message>
        <source>Longest thoughts</source>
        <translation>Längste Gedanken</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>Keine Grenze</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>at most %1 tokens</source>
        <translation>höchstens %1 Token</translation>
    </message>
    <message>
        <source>Thinking: no limit</source>
        <translation>Denken: keine Grenze</translation>
    </message>
</context>
<context>
    <name>fireside::ThinkingOffer</name>
    <message>
        <source>The loaded model&apos;s chat template has no switch for thinking.</source>
        <translation>Die Chatvorlage des geladenen Modells hat keinen Schalter für das Denken.</translation>
    </message>
    <message>
        <source>The loaded model&apos;s chat template knows no efforts.</source>
        <translation>Die Chatvorlage des geladenen Modells kennt keinen Denkaufwand.</translation>
    </message>
    <message>
        <source>The loaded model does not mark its thoughts, so that they cannot be ended.</source>
        <translation>Das geladene Modell kennzeichnet seine Gedanken nicht, deshalb können sie nicht beendet werden.</translation>
    </message>
</context>
<context>
    <name>fireside::ToolBox</name>
    <message>
        <source>there is no server called “%1”</source>
        <translation>es gibt keinen Server „%1“</translation>
    </message>
    <message>
        <source>its server does not run</source>
        <translation>sein Server läuft nicht</translation>
    </message>
</context>
<context>
    <name>fireside::ToolResult</name>
    <message>
        <source>
[Cut here: these are %1 of %2 characters.]</source>
        <translation>
[Hier abgeschnitten: Dies sind %1 von %2 Zeichen.]</translation>
    </message>
</context>
<context>
    <name>fireside::ToolServerDialog</name>
    <message>
        <source>“%1” has no “%2” in it</source>
        <translation>„%1“ enthält kein „%2“</translation>
    </message>
    <message>
        <source>Add a tool server</source>
        <translation>Werkzeugserver hinzufügen</translation>
    </message>
    <message>
        <source>Tool server “%1”</source>
        <translation>Werkzeugserver „%1“</translation>
    </message>
    <message>
        <source>files</source>
        <translation>dateien</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <source>A program on this computer</source>
        <translation>Ein Programm auf diesem Computer</translation>
    </message>
    <message>
        <source>An address (HTTP)</source>
        <translation>Eine Adresse (HTTP)</translation>
    </message>
    <message>
        <source>&amp;Kind</source>
        <translation>A&amp;rt</translation>
    </message>
    <message>
        <source>&amp;Command</source>
        <translation>&amp;Befehl</translation>
    </message>
    <message>
        <source>your home folder</source>
        <translation>Ihr persönlicher Ordner</translation>
    </message>
    <message>
        <source>Start &amp;in</source>
        <translation>Starten &amp;in</translation>
    </message>
    <message>
        <source>&amp;Variables</source>
        <translation>&amp;Variablen</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>&amp;Adresse</translation>
    </message>
    <message>
        <source>&amp;Headers</source>
        <translation>&amp;Kopfzeilen</translation>
    </message>
    <message>
        <source>Only the &amp;old way over HTTP (“sse”, before 2025)</source>
        <translation>Nur der &amp;alte Weg über HTTP („sse“, vor 2025)</translation>
    </message>
    <message>
        <source>Programs get PATH, HOME, the language and the like, and what stands under Variables; nothing else of your environment. ${NAME} takes a value from it. A program that you start here can do whatever you can: add only what you trust.</source>
        <translation>Programme bekommen PATH, HOME, die Sprache und Ähnliches, und was unter Variablen steht; sonst nichts aus Ihrer Umgebung. ${NAME} nimmt einen Wert daraus. Ein Programm, das Sie hier starten, kann alles, was Sie können: Fügen Sie nur hinzu, dem Sie vertrauen.</translation>
    </message>
    <message>
        <source>The server needs a name of its own, without /.</source>
        <translation>Der Server braucht einen eigenen Namen ohne /.</translation>
    </message>
    <message>
        <source>It cannot be used like this: %1.</source>
        <translation>So ist es nicht benutzbar: %1.</translation>
    </message>
    <message>
        <source>only where the server demands one</source>
        <translation>nur wenn der Server eine verlangt</translation>
    </message>
    <message>
        <source>What you have been given for programs that sign in there, or the address of a document that describes Fireside. Mostly neither is needed.</source>
        <translation>Was Sie dort für Programme bekommen haben, die sich anmelden, oder die Adresse eines Dokuments, das Fireside beschreibt. Meist ist beides nicht nötig.</translation>
    </message>
    <message>
        <source>Cli&amp;ent ID</source>
        <translation>Cli&amp;ent-ID</translation>
    </message>
    <message>
        <source>Client &amp;secret</source>
        <translation>Client-&amp;Geheimnis</translation>
    </message>
    <message>
        <source>Sign o&amp;ut</source>
        <translation>Ab&amp;melden</translation>
    </message>
    <message>
        <source>You are signed in</source>
        <translation>Sie sind angemeldet</translation>
    </message>
</context>
<context>
    <name>fireside::ToolServerTexts</name>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>starts…</source>
        <translation>startet…</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>bereit</translation>
    </message>
    <message>
        <source>wants you to sign in at %1</source>
        <translation>verlangt, dass Sie sich bei %1 anmelden</translation>
    </message>
</context>
<context>
    <name>fireside::ToolsButton</name>
    <message>
        <source>Tools that the model may call in this chat (Ctrl+T)</source>
        <translation>Werkzeuge, die das Modell in diesem Chat aufrufen darf (Strg+T)</translation>
    </message>
    <message>
        <source>No tools</source>
        <translation>Keine Werkzeuge</translation>
    </message>
    <message>
        <source>1 tool</source>
        <translation>1 Werkzeug</translation>
    </message>
    <message>
        <source>%1 tools</source>
        <translation>%1 Werkzeuge</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>%1 not there</source>
        <translation>%1 nicht da</translation>
    </message>
    <message>
        <source>Tools of this chat: %1</source>
        <translation>Werkzeuge dieses Chats: %1</translation>
    </message>
</context>
<context>
    <name>fireside::ToolsDialog</name>
    <message>
        <source>Tools of this chat</source>
        <translation>Werkzeuge dieses Chats</translation>
    </message>
    <message>
        <source>The model may ask to call what is ticked here. Each call is shown, and runs only when you allow it.</source>
        <translation>Das Modell darf darum bitten, aufzurufen, was hier angehakt ist. Jeder Aufruf wird gezeigt und läuft nur, wenn Sie ihn erlauben.</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>&amp;New chats begin with these tools</source>
        <translation>&amp;Neue Chats beginnen mit diesen Werkzeugen</translation>
    </message>
    <message>
        <source>&amp;Servers and folder…</source>
        <translation>&amp;Server und Ordner…</translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Built in</source>
        <translation>Eingebaut</translation>
    </message>
    <message>
        <source>No tools: nothing is added to the prompt.</source>
        <translation>Keine Werkzeuge: Dem Prompt wird nichts hinzugefügt.</translation>
    </message>
    <message>
        <source>What they take is known when a model is loaded.</source>
        <translation>Was sie brauchen, ist bekannt, wenn ein Modell geladen ist.</translation>
    </message>
    <message>
        <source>Together they take %1 of the %2 tokens of context.</source>
        <translation>Zusammen nehmen sie %1 der %2 Token des Kontexts.</translation>
    </message>
    <message>
        <source>They are part of each prompt; the server counts what they take.</source>
        <translation>Sie sind Teil jeder Anfrage; was sie brauchen, zählt der Server.</translation>
    </message>
</context>
<context>
    <name>fireside::ToolsPage</name>
    <message>
        <source>Files for the built-in tools</source>
        <translation>Dateien für die eingebauten Werkzeuge</translation>
    </message>
    <message>
        <source>Beside a calculator and a calendar the program can list, read and search the files of one folder, and nothing outside of it.</source>
        <translation>Neben einem Rechner und einem Kalender kann das Programm die Dateien eines Ordners auflisten, lesen und durchsuchen, und nichts außerhalb davon.</translation>
    </message>
    <message>
        <source>&amp;Choose a folder…</source>
        <translation>Ordner &amp;wählen…</translation>
    </message>
    <message>
        <source>&amp;No folder</source>
        <translation>&amp;Kein Ordner</translation>
    </message>
    <message>
        <source>Tool servers (MCP)</source>
        <translation>Werkzeugserver (MCP)</translation>
    </message>
    <message>
        <source>Programs or addresses that offer tools. They are kept in %1, in the form that other programs use, too.</source>
        <translation>Programme oder Adressen, die Werkzeuge anbieten. Sie stehen in %1, in der Form, die auch andere Programme benutzen.</translation>
    </message>
    <message>
        <source>Tool servers</source>
        <translation>Werkzeugserver</translation>
    </message>
    <message>
        <source>A&amp;dd…</source>
        <translation>&amp;Hinzufügen…</translation>
    </message>
    <message>
        <source>&amp;Edit…</source>
        <translation>&amp;Bearbeiten…</translation>
    </message>
    <message>
        <source>Re&amp;move</source>
        <translation>Ent&amp;fernen</translation>
    </message>
    <message>
        <source>&amp;Start again</source>
        <translation>&amp;Neu starten</translation>
    </message>
    <message>
        <source>Tools of the server</source>
        <translation>Werkzeuge des Servers</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>Was es tut</translation>
    </message>
    <message>
        <source>Permissions</source>
        <translation>Erlaubnisse</translation>
    </message>
    <message>
        <source>As&amp;k again for all of them</source>
        <translation>Für alle wieder &amp;fragen</translation>
    </message>
    <message>
        <source>No folder is chosen.</source>
        <translation>Kein Ordner ist gewählt.</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>No tool runs unasked in every chat.</source>
        <translation>Kein Werkzeug läuft in jedem Chat ungefragt.</translation>
    </message>
    <message>
        <source>1 tool runs unasked in every chat.</source>
        <translation>1 Werkzeug läuft in jedem Chat ungefragt.</translation>
    </message>
    <message>
        <source>%1 tools run unasked in every chat.</source>
        <translation>%1 Werkzeuge laufen in jedem Chat ungefragt.</translation>
    </message>
    <message>
        <source>It is switched off.</source>
        <translation>Er ist ausgeschaltet.</translation>
    </message>
    <message>
        <source>%1 speaks version %2 of the protocol. Tools: %3.</source>
        <translation>%1 spricht Version %2 des Protokolls. Werkzeuge: %3.</translation>
    </message>
    <message>
        <source>Left out: %1.</source>
        <translation>Weggelassen: %1.</translation>
    </message>
    <message>
        <source>Its last lines:
%1</source>
        <translation>Seine letzten Zeilen:
%1</translation>
    </message>
    <message>
        <source>Folder for the built-in tools</source>
        <translation>Ordner für die eingebauten Werkzeuge</translation>
    </message>
    <message>
        <source>Remove a tool server</source>
        <translation>Werkzeugserver entfernen</translation>
    </message>
    <message>
        <source>Remove “%1” from mcp.json? Its program, or what runs at its address, stays as it is.</source>
        <translation>„%1“ aus mcp.json entfernen? Sein Programm, oder was unter seiner Adresse läuft, bleibt, wie es ist.</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>Sign &amp;out</source>
        <translation>Ab&amp;melden</translation>
    </message>
    <message>
        <source>Sign &amp;in at %1</source>
        <translation>Bei %1 anm&amp;elden</translation>
    </message>
    <message>
        <source>Waiting for the browser…</source>
        <translation>Es wird auf den Browser gewartet …</translation>
    </message>
    <message>
        <source>You are not signed in: %1.</source>
        <translation>Sie sind nicht angemeldet: %1.</translation>
    </message>
    <message>
        <source>You are signed in; the token is in the desktop&apos;s keyring.</source>
        <translation>Sie sind angemeldet; das Token liegt im Schlüsselbund des Desktops.</translation>
    </message>
    <message>
        <source>You are signed in until Fireside is closed: %1.</source>
        <translation>Sie sind angemeldet, bis Fireside geschlossen wird: %1.</translation>
    </message>
</context>
<context>
    <name>fireside::TranscriptTexts</name>
    <message>
        <source>[image: </source>
        <translation>[Bild: </translation>
    </message>
    <message>
        <source>Tool call: %1</source>
        <translation>Aufruf eines Werkzeugs: %1</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <source>Summary of what the model no longer sees</source>
        <translation>Zusammenfassung dessen, was das Modell nicht mehr sieht</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>Interrupted: the program ended while this was written</source>
        <translation>Unterbrochen: Das Programm endete, während dies geschrieben wurde</translation>
    </message>
    <message>
        <source>The reply failed.</source>
        <translation>Die Antwort ist misslungen.</translation>
    </message>
    <message>
        <source>Cut off: the longest reply that the settings allow</source>
        <translation>Abgeschnitten: die längste Antwort, die die Einstellungen erlauben</translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>Denkt nach…</translation>
    </message>
    <message>
        <source>Thought for %1 s</source>
        <translation>%1 s nachgedacht</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>Überlegung</translation>
    </message>
    <message>
        <source>The model no longer sees the messages above</source>
        <translation>Die Nachrichten darüber sieht das Modell nicht mehr</translation>
    </message>
    <message>
        <source>Show the whole message (%1)</source>
        <translation>Ganze Nachricht zeigen (%1)</translation>
    </message>
    <message>
        <source>Show all %1 as plain text</source>
        <translation>Alles (%1) als einfachen Text zeigen</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Code, lines: %1</source>
        <translation>Code, Zeilen: %1</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Argumente</translation>
    </message>
    <message>
        <source>Built in</source>
        <translation>Eingebaut</translation>
    </message>
    <message>
        <source>Interrupted: the program ended</source>
        <translation>Unterbrochen: Das Programm endete</translation>
    </message>
    <message>
        <source>Waits for your answer</source>
        <translation>Wartet auf Ihre Antwort</translation>
    </message>
    <message>
        <source>Runs… %1 %</source>
        <translation>Läuft… %1 %</translation>
    </message>
    <message>
        <source>Runs…</source>
        <translation>Läuft…</translation>
    </message>
    <message>
        <source>Runs… %1</source>
        <translation>Läuft… %1</translation>
    </message>
    <message>
        <source>Done in %1 s</source>
        <translation>Fertig in %1 s</translation>
    </message>
    <message>
        <source>The tool reports an error</source>
        <translation>Das Werkzeug meldet einen Fehler</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Misslungen</translation>
    </message>
    <message>
        <source>Not run</source>
        <translation>Nicht ausgeführt</translation>
    </message>
    <message>
        <source>Cut off: the longest reply that the server allows</source>
        <translation>Abgeschnitten: die längste Antwort, die der Server erlaubt</translation>
    </message>
    <message>
        <source>Cut off by the server&apos;s content filter</source>
        <translation>Vom Inhaltsfilter des Servers abgeschnitten</translation>
    </message>
    <message>
        <source>Result: the first %1 of %2 characters</source>
        <translation>Ergebnis: die ersten %1 von %2 Zeichen</translation>
    </message>
    <message>
        <source>Result: %1 characters</source>
        <translation>Ergebnis: %1 Zeichen</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
</context>
<context>
    <name>fireside::TranscriptView</name>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Reply in progress</source>
        <translation>Antwort, die gerade geschrieben wird</translation>
    </message>
    <message>
        <source>Stopped reply</source>
        <translation>Gestoppte Antwort</translation>
    </message>
    <message>
        <source>Interrupted reply</source>
        <translation>Unterbrochene Antwort</translation>
    </message>
    <message>
        <source>Failed reply: %1</source>
        <translation>Misslungene Antwort: %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Copy selection</source>
        <translation>Auswahl kopieren</translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation>Nachricht kopieren</translation>
    </message>
    <message>
        <source>Select message</source>
        <translation>Nachricht auswählen</translation>
    </message>
    <message>
        <source>Open link…</source>
        <translation>Link öffnen…</translation>
    </message>
    <message>
        <source>Copy link address</source>
        <translation>Linkadresse kopieren</translation>
    </message>
    <message>
        <source>Hide reasoning</source>
        <translation>Überlegung ausblenden</translation>
    </message>
    <message>
        <source>Show reasoning</source>
        <translation>Überlegung zeigen</translation>
    </message>
    <message>
        <source>How this reply was made…</source>
        <translation>Wie diese Antwort entstand…</translation>
    </message>
    <message>
        <source>What else might stand here…</source>
        <translation>Was hier noch stehen könnte…</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>Bearbeiten…</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>Neu erzeugen</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>Vorige Fassung</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>Nächste Fassung</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>Chatverlauf</translation>
    </message>
    <message>
        <source>Jump to latest</source>
        <translation>Zum Neuesten springen</translation>
    </message>
    <message>
        <source>Jump to the latest message</source>
        <translation>Zur neuesten Nachricht springen</translation>
    </message>
    <message>
        <source>Tool %1, %2</source>
        <translation>Werkzeug %1, %2</translation>
    </message>
    <message>
        <source>Copy selection as</source>
        <translation>Auswahl kopieren als</translation>
    </message>
    <message>
        <source>Copy message as</source>
        <translation>Nachricht kopieren als</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>Plain text</source>
        <translation>Einfacher Text</translation>
    </message>
    <message>
        <source>HTML</source>
        <translation>HTML</translation>
    </message>
    <message>
        <source>With the speakers&apos; names</source>
        <translation>Mit den Namen der Sprechenden</translation>
    </message>
    <message>
        <source>Select all messages</source>
        <translation>Alle Nachrichten auswählen</translation>
    </message>
    <message>
        <source>Hide the result</source>
        <translation>Ergebnis ausblenden</translation>
    </message>
    <message>
        <source>Show the result</source>
        <translation>Ergebnis zeigen</translation>
    </message>
</context>
<context>
    <name>fireside::Transfer</name>
    <message>
        <source>only https and http addresses can be used</source>
        <translation>nur https- und http-Adressen sind möglich</translation>
    </message>
    <message>
        <source>Fireside is offline</source>
        <translation>Fireside ist offline</translation>
    </message>
    <message>
        <source>%1 answers with HTTP %2</source>
        <translation>%1 antwortet mit HTTP %2</translation>
    </message>
    <message>
        <source>%1 sends it on to nowhere</source>
        <translation>%1 leitet es ins Nichts weiter</translation>
    </message>
    <message>
        <source>%1 sends it on without end</source>
        <translation>%1 leitet es ohne Ende weiter</translation>
    </message>
    <message>
        <source>%1 sends it on to an address without encryption</source>
        <translation>%1 leitet es an eine Adresse ohne Verschlüsselung weiter</translation>
    </message>
    <message>
        <source>%1 sends nothing, or too slowly</source>
        <translation>%1 sendet nichts, oder zu langsam</translation>
    </message>
</context>
<context>
    <name>fireside::UnsavedDialog</name>
    <message>
        <source>Not saved</source>
        <translation>Nicht gespeichert</translation>
    </message>
    <message>
        <source>The disk can&apos;t be written, so these are only in memory. If you quit now, they are lost:</source>
        <translation>Auf die Festplatte kann nicht geschrieben werden, daher ist dies nur im Speicher. Wenn Sie jetzt beenden, geht es verloren:</translation>
    </message>
    <message>
        <source>Saved in another folder, the chats can be opened with File → Import chats.</source>
        <translation>In einem anderen Ordner gespeichert, lassen sich die Chats mit Datei → Chats importieren wieder öffnen.</translation>
    </message>
    <message>
        <source>Save to folder…</source>
        <translation>In Ordner speichern…</translation>
    </message>
    <message>
        <source>Quit without saving</source>
        <translation>Beenden ohne zu speichern</translation>
    </message>
    <message>
        <source>Unsent message “%1”</source>
        <translation>Nicht gesendete Nachricht „%1“</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Save to folder</source>
        <translation>In Ordner speichern</translation>
    </message>
    <message>
        <source>Fireside chats %1</source>
        <translation>Fireside-Chats %1</translation>
    </message>
    <message>
        <source>“%1” could not be written: %2</source>
        <translation>„%1“ konnte nicht geschrieben werden: %2</translation>
    </message>
</context>
<context>
    <name>fireside::Welcome</name>
    <message>
        <source>%1 billion parameters</source>
        <translation>%1 Milliarden Parameter</translation>
    </message>
    <message>
        <source>%1 million parameters</source>
        <translation>%1 Millionen Parameter</translation>
    </message>
    <message>
        <source>remembers %1 tokens</source>
        <translation>merkt sich %1 Token</translation>
    </message>
    <message>
        <source>Welcome</source>
        <translation>Willkommen</translation>
    </message>
    <message>
        <source>Try one of these</source>
        <translation>Etwas zum Ausprobieren</translation>
    </message>
    <message>
        <source>Add a model</source>
        <translation>Modell hinzufügen</translation>
    </message>
    <message>
        <source>Sends this question</source>
        <translation>Sendet diese Frage</translation>
    </message>
    <message>
        <source>Welcome to Fireside</source>
        <translation>Willkommen bei Fireside</translation>
    </message>
    <message>
        <source>The built-in starter model (%1) is ready. It is only a demonstration, so that you can try the program at once: it knows a little about Fireside and is weak at everything else. For real work, add a bigger model. This model runs on this computer, and what you write to it stays here.</source>
        <translation>Das eingebaute Startmodell (%1) ist bereit. Es dient nur der Vorführung, damit Sie das Programm sofort ausprobieren können: Es weiß ein wenig über Fireside und ist in allem anderen schwach. Für echte Arbeit fügen Sie ein größeres Modell hinzu. Dieses Modell läuft auf diesem Computer, und was Sie ihm schreiben, bleibt hier.</translation>
    </message>
    <message>
        <source>How do I add a model?</source>
        <translation>How do I add a model?</translation>
    </message>
    <message>
        <source>Who are you?</source>
        <translation>Who are you?</translation>
    </message>
    <message>
        <source>Show me a table</source>
        <translation>Show me a table</translation>
    </message>
    <message>
        <source>What can you help me with?</source>
        <translation>Wobei kannst du mir helfen?</translation>
    </message>
    <message>
        <source>Explain how a rainbow forms</source>
        <translation>Erkläre, wie ein Regenbogen entsteht</translation>
    </message>
    <message>
        <source>Write a Python function that reverses a string</source>
        <translation>Schreibe eine Python-Funktion, die einen Text umdreht</translation>
    </message>
    <message>
        <source>Loading %1…</source>
        <translation>%1 wird geladen…</translation>
    </message>
    <message>
        <source>You can write your first message meanwhile.</source>
        <translation>Ihre erste Nachricht können Sie inzwischen schreiben.</translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation>Kein Modell ist geladen</translation>
    </message>
    <message>
        <source>A model is one file that ends in .gguf. Choose one that is already on this computer, or drop a file onto this window.</source>
        <translation>Ein Modell ist eine Datei, die auf .gguf endet. Wählen Sie eine, die schon auf diesem Computer ist, oder ziehen Sie eine Datei auf dieses Fenster.</translation>
    </message>
    <message>
        <source>Download one, or choose from those on this computer (Ctrl+L)</source>
        <translation>Eines herunterladen oder unter denen dieses Computers wählen (Strg+L)</translation>
    </message>
</context>
<context>
    <name>fireside::WriteFile</name>
    <message>
        <source>it is not a regular file</source>
        <translation>es ist keine normale Datei</translation>
    </message>
</context>
<context>
    <name>fireside::formats::Texts</name>
    <message>
        <source>it is not whole JSON (%1 at byte %2)</source>
        <translation>es ist kein ganzes JSON (%1 bei Byte %2)</translation>
    </message>
    <message>
        <source>it holds no chats that are known here</source>
        <translation>es enthält keine Chats, die hier bekannt sind</translation>
    </message>
    <message>
        <source>it is too large (%1 bytes)</source>
        <translation>es ist zu groß (%1 Bytes)</translation>
    </message>
    <message>
        <source>it holds no chats</source>
        <translation>es enthält keine Chats</translation>
    </message>
    <message>
        <source>“%1” was not imported: %2</source>
        <translation>„%1“ wurde nicht importiert: %2</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>Tool call: %1</source>
        <translation>Aufruf eines Werkzeugs: %1</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>two messages are called “%1”</source>
        <translation>zwei Nachrichten heißen „%1“</translation>
    </message>
    <message>
        <source>the message “%1” answers one that is missing</source>
        <translation>die Nachricht „%1“ antwortet auf eine, die fehlt</translation>
    </message>
    <message>
        <source>messages answer each other in a circle</source>
        <translation>Nachrichten antworten einander im Kreis</translation>
    </message>
    <message>
        <source>%1 is no object</source>
        <translation>%1 ist kein Objekt</translation>
    </message>
    <message>
        <source>its “%1” is no list</source>
        <translation>sein „%1“ ist keine Liste</translation>
    </message>
    <message>
        <source>its “%1” is no object</source>
        <translation>sein „%1“ ist kein Objekt</translation>
    </message>
    <message>
        <source>a message has no version in view</source>
        <translation>eine Nachricht hat keine Fassung im Blick</translation>
    </message>
    <message>
        <source>“%1” is no time</source>
        <translation>„%1“ ist keine Zeit</translation>
    </message>
    <message>
        <source>message %1 is damaged</source>
        <translation>Nachricht %1 ist beschädigt</translation>
    </message>
    <message>
        <source>the message in view is missing</source>
        <translation>die Nachricht im Blick fehlt</translation>
    </message>
    <message>
        <source>it was written by a newer program</source>
        <translation>es wurde von einem neueren Programm geschrieben</translation>
    </message>
    <message>
        <source>a version</source>
        <translation>eine Fassung</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <source>the archive cannot be unpacked: %1</source>
        <translation>das Archiv lässt sich nicht entpacken: %1</translation>
    </message>
    <message>
        <source>the archive is damaged: %1</source>
        <translation>das Archiv ist beschädigt: %1</translation>
    </message>
    <message>
        <source>what the archive unpacks to is too large (more than %1 bytes)</source>
        <translation>was das Archiv entpackt ergibt, ist zu groß (mehr als %1 Byte)</translation>
    </message>
    <message>
        <source>the archive holds no conversations.json</source>
        <translation>das Archiv enthält keine conversations.json</translation>
    </message>
    <message>
        <source>it ends too early, or is damaged</source>
        <translation>sie endet zu früh oder ist beschädigt</translation>
    </message>
    <message>
        <source>it is damaged: a list of %1 entries</source>
        <translation>sie ist beschädigt: eine Liste mit %1 Einträgen</translation>
    </message>
    <message>
        <source>a tool&apos;s parameter is of a kind that is not known here</source>
        <translation>der Parameter eines Werkzeugs ist von einer hier unbekannten Art</translation>
    </message>
    <message>
        <source>it is damaged: messages within messages</source>
        <translation>sie ist beschädigt: Nachrichten in Nachrichten</translation>
    </message>
    <message>
        <source>it is damaged: a part called “%1”</source>
        <translation>sie ist beschädigt: ein Teil namens „%1“</translation>
    </message>
    <message>
        <source>it is damaged: a message called “%1”</source>
        <translation>sie ist beschädigt: eine Nachricht namens „%1“</translation>
    </message>
    <message>
        <source>its format has version %1; versions %2 to %3 are known here</source>
        <translation>ihr Format hat Version %1; hier sind die Versionen %2 bis %3 bekannt</translation>
    </message>
    <message>
        <source>it is not an object</source>
        <translation>es ist kein Objekt</translation>
    </message>
    <message>
        <source>none of its messages can be read</source>
        <translation>keine seiner Nachrichten ist lesbar</translation>
    </message>
    <message>
        <source>%1 was not imported: %2</source>
        <translation>%1 wurde nicht importiert: %2</translation>
    </message>
    <message>
        <source>“%1”, %2</source>
        <translation>„%1“, %2</translation>
    </message>
    <message>
        <source>chat %1 was not imported: %2</source>
        <translation>Chat %1 wurde nicht importiert: %2</translation>
    </message>
    <message>
        <source>chat %1 (“%2”) was not imported: %3</source>
        <translation>Chat %1 („%2“) wurde nicht importiert: %3</translation>
    </message>
</context>
<context>
    <name>fireside::mcp::Client</name>
    <message>
        <source>it does not say which tools it has</source>
        <translation>er sagt nicht, welche Werkzeuge er hat</translation>
    </message>
    <message>
        <source>it does not answer</source>
        <translation>er antwortet nicht</translation>
    </message>
    <message>
        <source>it speaks only versions of the protocol that Fireside does not know</source>
        <translation>er spricht nur Versionen des Protokolls, die Fireside nicht kennt</translation>
    </message>
    <message>
        <source>it speaks version “%1” of the protocol, which Fireside does not know</source>
        <translation>er spricht Version „%1“ des Protokolls, die Fireside nicht kennt</translation>
    </message>
    <message>
        <source>its list of tools does not end; the first %1 are used</source>
        <translation>seine Liste der Werkzeuge endet nicht; die ersten %1 werden benutzt</translation>
    </message>
    <message>
        <source>there are two tools called “%1”</source>
        <translation>zwei Werkzeuge heißen „%1“</translation>
    </message>
    <message>
        <source>%1 (error %2)</source>
        <translation>%1 (Fehler %2)</translation>
    </message>
    <message>
        <source>it refuses to begin: %1</source>
        <translation>er weigert sich anzufangen: %1</translation>
    </message>
    <message>
        <source>its tools could not be listed again: %1</source>
        <translation>seine Werkzeuge konnten nicht neu aufgelistet werden: %1</translation>
    </message>
    <message>
        <source>it refuses to list its tools: %1</source>
        <translation>er weigert sich, seine Werkzeuge aufzulisten: %1</translation>
    </message>
    <message>
        <source>the server has forgotten the session</source>
        <translation>der Server hat die Sitzung vergessen</translation>
    </message>
    <message>
        <source>no answer within %1 s</source>
        <translation>keine Antwort innerhalb von %1 s</translation>
    </message>
    <message>
        <source>its server is not ready</source>
        <translation>sein Server ist nicht bereit</translation>
    </message>
    <message>
        <source>the user has not opened the page that the server demands</source>
        <translation>die Seite, die der Server verlangt, wurde nicht geöffnet</translation>
    </message>
</context>
<context>
    <name>fireside::mcp::HttpTransport</name>
    <message>
        <source>Fireside is offline</source>
        <translation>Fireside ist offline</translation>
    </message>
    <message>
        <source>tools of %1</source>
        <translation>Werkzeuge von %1</translation>
    </message>
    <message>
        <source>its headers, which may hold keys, are not sent without encryption: the address must begin with https</source>
        <translation>seine Kopfzeilen, die Schlüssel enthalten können, werden nicht unverschlüsselt gesendet: Die Adresse muss mit https beginnen</translation>
    </message>
    <message>
        <source>it wants its messages sent to another server</source>
        <translation>er möchte seine Nachrichten an einen anderen Server gesendet haben</translation>
    </message>
    <message>
        <source>its stream has ended</source>
        <translation>sein Strom hat geendet</translation>
    </message>
    <message>
        <source>its answer is too long</source>
        <translation>seine Antwort ist zu lang</translation>
    </message>
    <message>
        <source>its answer broke off</source>
        <translation>seine Antwort brach ab</translation>
    </message>
    <message>
        <source>it does not answer as it should</source>
        <translation>er antwortet nicht, wie er soll</translation>
    </message>
    <message>
        <source>its answer broke off %1 times</source>
        <translation>seine Antwort brach %1-mal ab</translation>
    </message>
    <message>
        <source>the server wants to know who asks (HTTP %1): a header with a key can be given in its settings</source>
        <translation>der Server möchte wissen, wer fragt (HTTP %1): eine Kopfzeile mit einem Schlüssel kann in seinen Einstellungen angegeben werden</translation>
    </message>
    <message>
        <source>the server answers with HTTP %1</source>
        <translation>der Server antwortet mit HTTP %1</translation>
    </message>
</context>
<context>
    <name>fireside::mcp::ProgramTransport</name>
    <message>
        <source>the program “%1” was not found</source>
        <translation>das Programm „%1“ wurde nicht gefunden</translation>
    </message>
    <message>
        <source>“%1” cannot be started: %2</source>
        <translation>„%1“ kann nicht gestartet werden: %2</translation>
    </message>
    <message>
        <source>its program was ended by a signal</source>
        <translation>sein Programm wurde durch ein Signal beendet</translation>
    </message>
    <message>
        <source>its program ended with exit status %1</source>
        <translation>sein Programm endete mit Status %1</translation>
    </message>
    <message>
        <source>%1; its last words: %2</source>
        <translation>%1; seine letzten Worte: %2</translation>
    </message>
    <message>
        <source>its program does not read what it is sent</source>
        <translation>sein Programm liest nicht, was ihm gesendet wird</translation>
    </message>
    <message>
        <source>its program writes a message of more than %1 MB</source>
        <translation>sein Programm schreibt eine Nachricht von mehr als %1 MB</translation>
    </message>
</context>
</TS>
