<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ar" sourcelanguage="en">
<context>
    <name>EngineText</name>
    <message>
        <source>Running on the CPU as chosen; choose Automatic to let Fireside decide (%1)</source>
        <translation>يعمل على المعالج كما اخترت؛ اختر «تلقائي» ليقرر Fireside ‏(%1)</translation>
    </message>
    <message>
        <source>Running on the CPU because %1 (%2)</source>
        <translation>يعمل على المعالج. السبب: %1 (%2)</translation>
    </message>
    <message>
        <source>Running on %1 through Vulkan as chosen (%2); choose Automatic to let Fireside decide</source>
        <translation>يعمل على %1 عبر Vulkan كما اخترت (%2)؛ اختر «تلقائي» ليقرر Fireside</translation>
    </message>
    <message>
        <source>Running on %1 through Vulkan (%2); %3</source>
        <translation>يعمل على %1 عبر Vulkan ‏(%2)؛ %3</translation>
    </message>
    <message>
        <source>Running as asked, %1</source>
        <translation>يعمل كما طُلب، %1</translation>
    </message>
    <message>
        <source>Running %1 because %2; %3</source>
        <translation>يعمل هكذا: %1. السبب: %2؛ %3</translation>
    </message>
    <message>
        <source>choose CPU in the backend settings or --backend cpu to force the CPU</source>
        <translation>لفرض المعالج اختر CPU في الإعدادات أو ‎--backend cpu</translation>
    </message>
    <message>
        <source>choose Vulkan in the backend settings or --backend vulkan to force it</source>
        <translation>لفرض Vulkan اختره في الإعدادات أو ‎--backend vulkan</translation>
    </message>
    <message>
        <source>a software device, slower than the CPU; %1</source>
        <translation>جهاز برمجي أبطأ من المعالج؛ %1</translation>
    </message>
    <message>
        <source>it is the faster one here; %1</source>
        <translation>هو الأسرع هنا؛ %1</translation>
    </message>
    <message>
        <source>it is the faster one here</source>
        <translation>هو الأسرع هنا</translation>
    </message>
    <message>
        <source>no Vulkan device was looked for</source>
        <translation>لم يُبحث عن أجهزة Vulkan</translation>
    </message>
    <message>
        <source>no Vulkan device was found</source>
        <translation>لم يُعثر على جهاز Vulkan</translation>
    </message>
    <message>
        <source>the model does not fit on the CPU: it %1; choose a smaller model or a shorter context</source>
        <translation>لا تتسع الذاكرة للنموذج: %1؛ اختر نموذجًا أصغر أو سياقًا أقصر</translation>
    </message>
    <message>
        <source>Vulkan was chosen but cannot be used: %1</source>
        <translation>اختير Vulkan لكن لا يمكن استخدامه: %1</translation>
    </message>
    <message>
        <source>what was asked for cannot be met: %1; for the CPU: %2</source>
        <translation>لا يمكن تحقيق المطلوب: %1؛ وللمعالج: %2</translation>
    </message>
    <message>
        <source>%1: taken; %2</source>
        <translation>%1: مختار؛ %2</translation>
    </message>
    <message>
        <source>%1: taken</source>
        <translation>%1: مختار</translation>
    </message>
    <message>
        <source>%1; not asked for</source>
        <translation>%1؛ لم يُطلب</translation>
    </message>
    <message>
        <source>%1, fewer than the %2 of %3</source>
        <translation>%1، أقل من %2 على %3</translation>
    </message>
    <message>
        <source>%1; %2 comes first</source>
        <translation>%1؛ الأولوية لـ %2</translation>
    </message>
    <message>
        <source>%1 is not among the devices to use</source>
        <translation>%1 ليس بين الأجهزة المستخدمة</translation>
    </message>
    <message>
        <source>%1 is a software device, slower than Fireside&apos;s own CPU kernels</source>
        <translation>%1 جهاز برمجي أبطأ من حسابات Fireside على المعالج</translation>
    </message>
    <message>
        <source>%1 of %2 layers on graphics processors were asked for</source>
        <translation>طُلبت %1 من %2 طبقة على معالجات الرسوميات</translation>
    </message>
    <message>
        <source>only %1 of the %2 layers that were asked for have room on graphics processors</source>
        <translation>لا تتسع معالجات الرسوميات إلا لـ %1 من %2 طبقة مطلوبة</translation>
    </message>
    <message>
        <source>only %1 of %2 layers have room on graphics processors</source>
        <translation>لا تتسع معالجات الرسوميات إلا لـ %1 من %2 طبقة</translation>
    </message>
    <message>
        <source>%1 layers would run on the CPU, which was not asked for</source>
        <translation>%1 طبقة ستعمل على المعالج ولم يُطلب ذلك</translation>
    </message>
    <message>
        <source>the CPU&apos;s part %1</source>
        <translation>جزء المعالج %1</translation>
    </message>
    <message>
        <source>needs %1 for a context of %2 tokens, only %3 of RAM is free</source>
        <translation>يحتاج %1 لسياق من %2 رمز، والمتاح من الذاكرة %3 فقط</translation>
    </message>
    <message>
        <source>needs %1, the computer has only %2 of RAM</source>
        <translation>يحتاج %1، وذاكرة الحاسوب %2 فقط</translation>
    </message>
    <message>
        <source>needs %1, the computer has %2 of RAM</source>
        <translation>يحتاج %1، وذاكرة الحاسوب %2</translation>
    </message>
    <message>
        <source>needs %1, only %2 of memory on %3 is free</source>
        <translation>يحتاج %1، والمتاح على %3 هو %2 فقط</translation>
    </message>
    <message>
        <source>needs %1, %2 of memory on %3 is free</source>
        <translation>يحتاج %1، والمتاح على %3 هو %2</translation>
    </message>
    <message>
        <source>needs %1, only %2 of RAM is free</source>
        <translation>يحتاج %1، والمتاح من الذاكرة %2 فقط</translation>
    </message>
    <message>
        <source>needs %1, %2 of RAM is free</source>
        <translation>يحتاج %1، والمتاح من الذاكرة %2</translation>
    </message>
    <message>
        <source>needs %1, how much RAM is free is unknown</source>
        <translation>يحتاج %1، والمتاح من الذاكرة غير معروف</translation>
    </message>
    <message>
        <source>needs %1 of the device&apos;s %2</source>
        <translation>يحتاج %1 من %2 في الجهاز</translation>
    </message>
    <message>
        <source>about %1 tokens a second expected, %2</source>
        <translation>يُتوقع نحو %1 رمز في الثانية، %2</translation>
    </message>
    <message>
        <source>%1 tokens a second measured, %2</source>
        <translation>قيس %1 رمز في الثانية، %2</translation>
    </message>
    <message>
        <source>about %1 tokens a second expected on %2</source>
        <translation>يُتوقع نحو %1 رمز في الثانية على %2</translation>
    </message>
    <message>
        <source>%1 tokens a second measured on %2</source>
        <translation>قيس %1 رمز في الثانية على %2</translation>
    </message>
    <message>
        <source>about %1 tokens a second expected</source>
        <translation>يُتوقع نحو %1 رمز في الثانية</translation>
    </message>
    <message>
        <source>%1 tokens a second measured</source>
        <translation>قيس %1 رمز في الثانية</translation>
    </message>
    <message>
        <source>the model %1</source>
        <translation>النموذج %1</translation>
    </message>
    <message>
        <source>all %1 layers on %2</source>
        <translation>كل الطبقات (%1) على %2</translation>
    </message>
    <message>
        <source>the CPU</source>
        <translation>المعالج</translation>
    </message>
    <message>
        <source>cannot open %1: No such file or directory</source>
        <translation>تعذّر فتح %1: الملف غير موجود</translation>
    </message>
    <message>
        <source>cannot open %1: Permission denied</source>
        <translation>تعذّر فتح %1: لا صلاحية لذلك</translation>
    </message>
    <message>
        <source>cannot open %1: it is a folder, not a file</source>
        <translation>تعذّر فتح %1: هو مجلد لا ملف</translation>
    </message>
    <message>
        <source>cannot open %1: it is not a regular file</source>
        <translation>تعذّر فتح %1: ليس ملفًا عاديًا</translation>
    </message>
    <message>
        <source>cannot map %1: %2 of address space are not available (see ulimit -v)</source>
        <translation>تعذّر ربط %1: لا تتوفر %2 من فضاء العناوين (انظر ulimit -v)</translation>
    </message>
    <message>
        <source>the model file changed on disk: %1</source>
        <translation>تغيّر ملف النموذج على القرص: %1</translation>
    </message>
    <message>
        <source>not enough memory: an allocation failed, %1 of %2 are free</source>
        <translation>الذاكرة لا تكفي: فشل تخصيص، والمتاح %1 من %2</translation>
    </message>
    <message>
        <source>not enough memory: an allocation failed</source>
        <translation>الذاكرة لا تكفي: فشل تخصيص</translation>
    </message>
    <message>
        <source>the message is too long: with what must precede it it takes %1 tokens, and of the context of %2 tokens %3 are available (%4 are kept for the answer)</source>
        <translation>الرسالة طويلة جدًا: مع ما يجب أن يسبقها تبلغ %1 رمزًا، والمتاح من سياق %2 رمز هو %3 (ويُحفظ %4 للجواب)</translation>
    </message>
    <message>
        <source>the chat has grown too long for the context: it takes %1 tokens, and of the context of %2 tokens %3 are available (%4 are kept for the answer)</source>
        <translation>طالت المحادثة على السياق: تبلغ %1 رمزًا، والمتاح من سياق %2 رمز هو %3 (ويُحفظ %4 للجواب)</translation>
    </message>
    <message>
        <source>not supported: architecture %1 (this version runs: %2)</source>
        <translation>غير مدعومة: البنية %1 (هذا الإصدار يشغّل: %2)</translation>
    </message>
    <message>
        <source>tensor %1: weight type %2 is not supported</source>
        <translation>الموتر %1: نوع الأوزان %2 غير مدعوم</translation>
    </message>
    <message>
        <source>tensor %1 at offset %2 needs %3 bytes, but the file ends %4 bytes later; it is probably cut short</source>
        <translation>الموتر %1 عند الموضع %2 يحتاج %3 بايت، لكن الملف ينتهي بعد %4 بايت؛ لعله مبتور</translation>
    </message>
    <message>
        <source>the file ends inside the %1 at offset %2: %3 bytes needed, %4 left</source>
        <translation>ينتهي الملف داخل %1 عند الموضع %2: المطلوب %3 بايت، والباقي %4</translation>
    </message>
    <message>
        <source>no model is loaded</source>
        <translation>لا يوجد نموذج محمّل</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <translation>%1؛ %2</translation>
    </message>
    <message>
        <source>needs %1 for quantised weights and a context of %2 tokens, only %3 of RAM is free</source>
        <translation>يحتاج %1 للأوزان المكمّاة ولسياق من %2 رمزًا، والمتاح من الذاكرة %3 فقط</translation>
    </message>
    <message>
        <source>needs %1, how much memory on %2 is free is unknown</source>
        <translation>يحتاج %1، ومقدار الذاكرة المتاحة على %2 غير معروف</translation>
    </message>
    <message>
        <source>%1 within the limit</source>
        <translation>%1 ضمن الحد</translation>
    </message>
    <message>
        <source>%1 beside the reserve</source>
        <translation>%1 إلى جانب الاحتياطي</translation>
    </message>
    <message>
        <source>%1 layers on graphics processors were asked for</source>
        <translation>طُلبت %1 طبقة على معالجات الرسوميات</translation>
    </message>
    <message>
        <source>the experts of %1 of %2 layers on graphics processors were asked for</source>
        <translation>طُلب خبراء %1 من %2 طبقة على معالجات الرسوميات</translation>
    </message>
    <message>
        <source>%1 with its context in Q8_0</source>
        <translation>%1 مع سياقه بصيغة Q8_0</translation>
    </message>
    <message>
        <source>%1 with a context of %2 tokens in Q8_0</source>
        <translation>%1 مع سياق من %2 رمزًا بصيغة Q8_0</translation>
    </message>
    <message>
        <source>%1 with a context of %2 tokens</source>
        <translation>%1 مع سياق من %2 رمزًا</translation>
    </message>
    <message>
        <source>attention on %1, experts of %2 of %3 layers on the CPU</source>
        <translation>الانتباه على %1، وخبراء %2 من %3 طبقة على المعالج</translation>
    </message>
    <message>
        <source>the model without its experts needs %1, only %2 of memory on %3 is free</source>
        <translation>النموذج من دون خبرائه يحتاج %1، والمتاح من الذاكرة %2 فقط على %3</translation>
    </message>
    <message>
        <source>only the experts of %1 of the %2 layers that were asked for have room on %3</source>
        <translation>لا يتسع إلا لخبراء %1 من %2 طبقة مطلوبة على %3</translation>
    </message>
    <message>
        <source>the experts of %1 layers would run on the CPU, which was not asked for</source>
        <translation>خبراء %1 طبقة سيعملون على المعالج، وهذا لم يُطلب</translation>
    </message>
    <message>
        <source>%1 on %2 and %3 on the CPU of %4 layers</source>
        <translation>من %4 طبقة: %1 على %2 و%3 على المعالج</translation>
    </message>
    <message>
        <source>%1 on %2, %3 on %4 and %5 on the CPU of %6 layers</source>
        <translation>من %6 طبقة: %1 على %2 و%3 على %4 و%5 على المعالج</translation>
    </message>
    <message>
        <source>%1 on %2, %3 on %4 of %5 layers</source>
        <translation>من %5 طبقة: %1 على %2 و%3 على %4</translation>
    </message>
    <message>
        <source>%1 of %2 layers on %3, %4 of %5 layers on %6</source>
        <translation>%1 من %2 طبقة على %3، و%4 من %5 على %6</translation>
    </message>
    <message>
        <source>%1 of %2 layers on %3</source>
        <translation>%1 من %2 طبقة على %3</translation>
    </message>
    <message>
        <source>%1, experts of %2 on %3</source>
        <translation>%1، وخبراء %2 على %3</translation>
    </message>
    <message>
        <source>%1, weights quantised to %2 while loading</source>
        <translation>%1، والأوزان مكمّاة إلى %2 عند التحميل</translation>
    </message>
    <message>
        <source>CPU: %1</source>
        <translation>المعالج: %1</translation>
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
        <translation>يعمل دائمًا: %1، ذاكرة %2</translation>
    </message>
    <message>
        <source>Always works: %1, RAM size unknown</source>
        <translation>يعمل دائمًا: %1، حجم الذاكرة غير معروف</translation>
    </message>
    <message>
        <source>passed every check</source>
        <translation>اجتاز كل الفحوص</translation>
    </message>
    <message>
        <source>this build of Fireside contains no Vulkan support</source>
        <translation>هذا الإصدار المبني من Fireside لا يدعم Vulkan</translation>
    </message>
    <message>
        <source>install a build with Vulkan, or configure with -DFIRESIDE_VULKAN=ON</source>
        <translation>ثبّت إصدارًا مبنيًا مع Vulkan، أو ابنِه مع -DFIRESIDE_VULKAN=ON</translation>
    </message>
    <message>
        <source>this build contains the Vulkan backend</source>
        <translation>هذا الإصدار يتضمن محرك Vulkan</translation>
    </message>
    <message>
        <source>%1, Vulkan %2</source>
        <translation>%1، Vulkan %2</translation>
    </message>
    <message>
        <source>the Vulkan loader could not be opened</source>
        <translation>تعذّر فتح محمّل Vulkan</translation>
    </message>
    <message>
        <source>install it with &apos;sudo apt install libvulkan1&apos;</source>
        <translation>ثبّته بالأمر &apos;sudo apt install libvulkan1&apos;</translation>
    </message>
    <message>
        <source>the Vulkan loader knows only Vulkan %1</source>
        <translation>محمّل Vulkan لا يعرف إلا Vulkan %1</translation>
    </message>
    <message>
        <source>update libvulkan1 to a version with Vulkan 1.2</source>
        <translation>حدّث libvulkan1 إلى إصدار يدعم Vulkan 1.2</translation>
    </message>
    <message>
        <source>the loader offers Vulkan %1</source>
        <translation>المحمّل يوفر Vulkan %1</translation>
    </message>
    <message>
        <source>the address space is limited to %1 more, graphics drivers need up to %2</source>
        <translation>لم يبق من فضاء العناوين إلا %1، وبرامج تشغيل الرسوميات تحتاج حتى %2</translation>
    </message>
    <message>
        <source>start Fireside without &apos;ulimit -v&apos;</source>
        <translation>شغّل Fireside من دون &apos;ulimit -v&apos;</translation>
    </message>
    <message>
        <source>%1 can still be mapped</source>
        <translation>ما زال %1 متاحًا</translation>
    </message>
    <message>
        <source>not limited</source>
        <translation>غير محدود</translation>
    </message>
    <message>
        <source>a driver was found</source>
        <translation>عُثر على برنامج تشغيل</translation>
    </message>
    <message>
        <source>no Vulkan driver was found</source>
        <translation>لم يُعثر على برنامج تشغيل Vulkan</translation>
    </message>
    <message>
        <source>the Vulkan drivers could not be started</source>
        <translation>تعذّر بدء برامج تشغيل Vulkan</translation>
    </message>
    <message>
        <source>the Vulkan loader is broken</source>
        <translation>محمّل Vulkan معطوب</translation>
    </message>
    <message>
        <source>reinstall it with &apos;sudo apt install --reinstall libvulkan1&apos;</source>
        <translation>أعد تثبيته بالأمر &apos;sudo apt install --reinstall libvulkan1&apos;</translation>
    </message>
    <message>
        <source>the driver could not list its devices</source>
        <translation>لم يستطع برنامج التشغيل سرد أجهزته</translation>
    </message>
    <message>
        <source>the checks ended early</source>
        <translation>انتهت الفحوص قبل تمامها</translation>
    </message>
    <message>
        <source>available</source>
        <translation>متاح</translation>
    </message>
    <message>
        <source>the device lacks: %1</source>
        <translation>ينقص الجهاز: %1</translation>
    </message>
    <message>
        <source>needed %1; %2</source>
        <translation>لازم %1؛ %2</translation>
    </message>
    <message>
        <source>everything below is part of it</source>
        <translation>كل ما يلي جزء منه</translation>
    </message>
    <message>
        <source>to run shaders without drawing</source>
        <translation>لتشغيل المظلّلات من دون رسم</translation>
    </message>
    <message>
        <source>to reach weights of any size</source>
        <translation>للوصول إلى أوزان من أي حجم</translation>
    </message>
    <message>
        <source>for F16 weights and caches</source>
        <translation>لأوزان وذواكر مؤقتة بصيغة F16</translation>
    </message>
    <message>
        <source>for quantised weights</source>
        <translation>للأوزان المكمّاة</translation>
    </message>
    <message>
        <source>to read weights as they lie in the file</source>
        <translation>لقراءة الأوزان كما هي في الملف</translation>
    </message>
    <message>
        <source>to wait for results with a time limit</source>
        <translation>لانتظار النتائج ضمن مهلة</translation>
    </message>
    <message>
        <source>for fast sums</source>
        <translation>للجمع السريع</translation>
    </message>
    <message>
        <source>the shader self-test failed</source>
        <translation>أخفق الاختبار الذاتي للمظلّلات</translation>
    </message>
    <message>
        <source>a compute shader gave %1 right results</source>
        <translation>أعطى مظلّل حسابي %1 نتيجة صحيحة</translation>
    </message>
    <message>
        <source>update the graphics driver, or use the CPU</source>
        <translation>حدّث برنامج تشغيل الرسوميات، أو استخدم المعالج</translation>
    </message>
    <message>
        <source>update the graphics driver, or use the CPU; it is tried again at the next start</source>
        <translation>حدّث برنامج تشغيل الرسوميات، أو استخدم المعالج؛ ستُعاد المحاولة عند البدء التالي</translation>
    </message>
    <message>
        <source>%1; note that %2 is set to &apos;%3&apos;</source>
        <translation>%1؛ لاحظ أن %2 مضبوط على &apos;%3&apos;</translation>
    </message>
    <message>
        <source>this user may not open %1: join its group with &apos;sudo usermod -aG %2 $USER&apos; and log in again</source>
        <translation>لا يحق لهذا المستخدم فتح %1: انضم إلى مجموعته بالأمر &apos;sudo usermod -aG %2 $USER&apos; ثم سجّل الدخول من جديد</translation>
    </message>
    <message>
        <source>there is an NVIDIA GPU, but the Vulkan part of its driver did not start: install it (Debian: nvidia-driver and nvidia-vulkan-icd, Ubuntu: &apos;sudo ubuntu-drivers install&apos;), in a container with graphics capabilities</source>
        <translation>توجد بطاقة NVIDIA، لكن جزء Vulkan من برنامج تشغيلها لم يبدأ: ثبّته (في Debian: nvidia-driver وnvidia-vulkan-icd، وفي Ubuntu: &apos;sudo ubuntu-drivers install&apos;)، وفي حاوية مع قدرات الرسوميات</translation>
    </message>
    <message>
        <source>install the driver for %1 with &apos;sudo apt install mesa-vulkan-drivers&apos;</source>
        <translation>ثبّت برنامج تشغيل %1 بالأمر &apos;sudo apt install mesa-vulkan-drivers&apos;</translation>
    </message>
    <message>
        <source>there is no GPU device file /dev/dri/renderD*; if this computer has a GPU, install mesa-vulkan-drivers (AMD, Intel) or NVIDIA&apos;s driver</source>
        <translation>لا يوجد ملف جهاز /dev/dri/renderD* لبطاقة رسوميات؛ إن كان في هذا الحاسوب بطاقة فثبّت mesa-vulkan-drivers (لـ AMD وIntel) أو برنامج تشغيل NVIDIA</translation>
    </message>
    <message>
        <source>the graphics driver did not answer within %1 while it was checked</source>
        <translation>لم يُجب برنامج تشغيل الرسوميات خلال %1 أثناء فحصه</translation>
    </message>
    <message>
        <source>the graphics driver crashed while it was checked (%1)</source>
        <translation>انهار برنامج تشغيل الرسوميات أثناء فحصه (%1)</translation>
    </message>
    <message>
        <source>the graphics driver ended the program while it was checked (status %1)</source>
        <translation>أنهى برنامج تشغيل الرسوميات البرنامج أثناء فحصه (الحالة %1)</translation>
    </message>
    <message>
        <source>the graphics driver could not be checked: %1</source>
        <translation>تعذّر فحص برنامج تشغيل الرسوميات: %1</translation>
    </message>
    <message>
        <source>Built with Vulkan</source>
        <translation>مبني مع Vulkan</translation>
    </message>
    <message>
        <source>Vulkan loader</source>
        <translation>محمّل Vulkan</translation>
    </message>
    <message>
        <source>Address space</source>
        <translation>فضاء العناوين</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>برنامج التشغيل</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>الجهاز</translation>
    </message>
    <message>
        <source>Self-test</source>
        <translation>الاختبار الذاتي</translation>
    </message>
    <message>
        <source>Model kernels</source>
        <translation>نوى النموذج</translation>
    </message>
    <message>
        <source>Vulkan 1.2 on the device</source>
        <translation>Vulkan 1.2 على الجهاز</translation>
    </message>
    <message>
        <source>Compute queue</source>
        <translation>طابور الحساب</translation>
    </message>
    <message>
        <source>Buffer device addresses</source>
        <translation>عناوين المخازن على الجهاز</translation>
    </message>
    <message>
        <source>16-bit storage</source>
        <translation>تخزين بـ 16 بت</translation>
    </message>
    <message>
        <source>8-bit storage</source>
        <translation>تخزين بـ 8 بت</translation>
    </message>
    <message>
        <source>Scalar block layout</source>
        <translation>ترتيب الكتل السلّمي</translation>
    </message>
    <message>
        <source>Timeline semaphores</source>
        <translation>إشارات الخط الزمني</translation>
    </message>
    <message>
        <source>Subgroup arithmetic in compute shaders</source>
        <translation>حساب المجموعات الفرعية في المظلّلات الحسابية</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>المعالج</translation>
    </message>
    <message>
        <source>Cores</source>
        <translation>الأنوية</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>الخيوط</translation>
    </message>
    <message>
        <source>Instruction set</source>
        <translation>مجموعة التعليمات</translation>
    </message>
    <message>
        <source>Processor features</source>
        <translation>مزايا المعالج</translation>
    </message>
    <message>
        <source>RAM</source>
        <translation>الذاكرة</translation>
    </message>
    <message>
        <source>RAM free</source>
        <translation>الذاكرة المتاحة</translation>
    </message>
    <message>
        <source>Address space left</source>
        <translation>فضاء العناوين المتبقي</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>النوع</translation>
    </message>
    <message>
        <source>Vendor</source>
        <translation>الصانع</translation>
    </message>
    <message>
        <source>Driver version</source>
        <translation>إصدار برنامج التشغيل</translation>
    </message>
    <message>
        <source>Vulkan version</source>
        <translation>إصدار Vulkan</translation>
    </message>
    <message>
        <source>Unified memory</source>
        <translation>ذاكرة موحّدة</translation>
    </message>
    <message>
        <source>Workgroup</source>
        <translation>مجموعة العمل</translation>
    </message>
    <message>
        <source>Push constants</source>
        <translation>ثوابت الدفع</translation>
    </message>
    <message>
        <source>Memory budget</source>
        <translation>ميزانية الذاكرة</translation>
    </message>
    <message>
        <source>Cooperative matrices</source>
        <translation>المصفوفات التعاونية</translation>
    </message>
    <message>
        <source>Variants</source>
        <translation>المتغيرات</translation>
    </message>
    <message>
        <source>Driver messages</source>
        <translation>رسائل برنامج التشغيل</translation>
    </message>
    <message>
        <source>Memory heap %1</source>
        <translation>منطقة الذاكرة %1</translation>
    </message>
    <message>
        <source>Subgroup size</source>
        <translation>حجم المجموعة الفرعية</translation>
    </message>
    <message>
        <source>Largest allocation</source>
        <translation>أكبر حجز</translation>
    </message>
    <message>
        <source>16-bit float arithmetic</source>
        <translation>حساب عشري بـ 16 بت</translation>
    </message>
    <message>
        <source>8-bit integer arithmetic</source>
        <translation>حساب صحيح بـ 8 بت</translation>
    </message>
    <message>
        <source>Integer dot product</source>
        <translation>جداء نقطي للأعداد الصحيحة</translation>
    </message>
    <message>
        <source>discrete GPU</source>
        <translation>بطاقة رسوميات منفصلة</translation>
    </message>
    <message>
        <source>integrated GPU</source>
        <translation>رسوميات مدمجة</translation>
    </message>
    <message>
        <source>virtual GPU</source>
        <translation>رسوميات افتراضية</translation>
    </message>
    <message>
        <source>software (runs on the CPU)</source>
        <translation>برمجي (يعمل على المعالج)</translation>
    </message>
    <message>
        <source>%1, on the device, %2 free</source>
        <translation>%1، على الجهاز، %2 متاح</translation>
    </message>
    <message>
        <source>%1, of the host, %2 free</source>
        <translation>%1، من الحاسوب، %2 متاح</translation>
    </message>
    <message>
        <source>%1, on the device</source>
        <translation>%1، على الجهاز</translation>
    </message>
    <message>
        <source>%1, of the host</source>
        <translation>%1، من الحاسوب</translation>
    </message>
    <message>
        <source>up to %1 invocations, %2 shared memory</source>
        <translation>حتى %1 استدعاء، ذاكرة مشتركة %2</translation>
    </message>
    <message>
        <source>%1, %2 fast ones</source>
        <translation>%1، منها %2 سريعة</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>غير معروف</translation>
    </message>
    <message>
        <source>the Vulkan loader could not be opened (%1)</source>
        <translation>تعذّر فتح محمّل Vulkan (%1)</translation>
    </message>
    <message>
        <source>no Vulkan driver was found (%1)</source>
        <translation>لم يُعثر على برنامج تشغيل Vulkan (%1)</translation>
    </message>
    <message>
        <source>the Vulkan drivers could not be started (%1)</source>
        <translation>تعذّر بدء برامج تشغيل Vulkan (%1)</translation>
    </message>
    <message>
        <source>the Vulkan loader is broken (%1)</source>
        <translation>محمّل Vulkan معطوب (%1)</translation>
    </message>
    <message>
        <source>the driver could not list its devices (%1)</source>
        <translation>لم يستطع برنامج التشغيل سرد أجهزته (%1)</translation>
    </message>
    <message>
        <source>the checks ended early (%1)</source>
        <translation>انتهت الفحوص قبل تمامها (%1)</translation>
    </message>
    <message>
        <source>the shader self-test failed (%1)</source>
        <translation>أخفق الاختبار الذاتي للمظلّلات (%1)</translation>
    </message>
    <message>
        <source>%1, %2 cores, %3</source>
        <translation>%1، عدد النوى: %2، %3</translation>
    </message>
    <message>
        <source>%1, 1 core, %2</source>
        <translation>%1، نواة واحدة، %2</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 بايت</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>نعم</translation>
    </message>
    <message>
        <source>no</source>
        <translation>لا</translation>
    </message>
    <message>
        <source>%1: own kernels are used</source>
        <translation>%1: تُستخدم نوى الحساب الخاصة بالبرنامج</translation>
    </message>
    <message>
        <source>%1, not used: own %2 kernels are faster</source>
        <translation>%1، غير مستخدم: نوى البرنامج لـ %2 أسرع</translation>
    </message>
    <message>
        <source>%1, used for F32, F16 and BF16 prompts from %2 tokens at once</source>
        <translation>%1، يُستخدم لمدخلات F32 وF16 وBF16 ابتداءً من %2 رمزًا دفعة واحدة</translation>
    </message>
    <message>
        <source>not found (install %1)</source>
        <translation>غير موجود (ثبّت %1)</translation>
    </message>
    <message>
        <source>below 2 bits: very small, with heavy losses</source>
        <translation>أقل من 2 بت: صغير جدًا، مع خسارة كبيرة</translation>
    </message>
    <message>
        <source>about 2 bits: small, with clear losses</source>
        <translation>نحو 2 بت: صغير، مع خسارة واضحة</translation>
    </message>
    <message>
        <source>about 3 bits: small, with noticeable losses</source>
        <translation>نحو 3 بت: صغير، مع خسارة ملحوظة</translation>
    </message>
    <message>
        <source>about 4 bits: good balance of size and quality</source>
        <translation>نحو 4 بت: توازن جيد بين الحجم والجودة</translation>
    </message>
    <message>
        <source>about 5 bits: close to the original</source>
        <translation>نحو 5 بت: قريب من الأصل</translation>
    </message>
    <message>
        <source>about 6 bits: hardly any loss</source>
        <translation>نحو 6 بت: لا خسارة تُذكر</translation>
    </message>
    <message>
        <source>8 bits: practically the original</source>
        <translation>8 بت: كالأصل عمليًا</translation>
    </message>
    <message>
        <source>16 bits: the original</source>
        <translation>16 بت: الأصل</translation>
    </message>
    <message>
        <source>32 bits: full precision</source>
        <translation>32 بت: الدقة الكاملة</translation>
    </message>
    <message>
        <source>Starter (built in)</source>
        <translation>نموذج البداية (مدمج)</translation>
    </message>
    <message>
        <source>Added folder</source>
        <translation>مجلد مضاف</translation>
    </message>
    <message>
        <source>Always works: %1, %2 cores, %3, %4 RAM</source>
        <translation>يعمل دائمًا: %1، عدد النوى: %2، %3، ذاكرة %4</translation>
    </message>
    <message>
        <source>Always works: %1, 1 core, %2, %3 RAM</source>
        <translation>يعمل دائمًا: %1، نواة واحدة، %2، ذاكرة %3</translation>
    </message>
    <message>
        <source>%1: not asked for</source>
        <translation>%1: لم يُطلب</translation>
    </message>
    <message>
        <source>%1: %2 comes first</source>
        <translation>%1: يأتي %2 أولًا</translation>
    </message>
    <message>
        <source>%1 and %2 for the program</source>
        <translation>%1 و%2 للبرنامج</translation>
    </message>
    <message>
        <source>%1 and %2 for its driver</source>
        <translation>%1 و%2 لبرنامج تشغيله</translation>
    </message>
    <message>
        <source>basic</source>
        <translation>أساسي</translation>
    </message>
    <message>
        <source>basic, %1</source>
        <translation>أساسي، %1</translation>
    </message>
    <message>
        <source>cooperative matrix</source>
        <translation>المصفوفات التعاونية</translation>
    </message>
    <message>
        <source>cooperative matrix, %1</source>
        <translation>المصفوفات التعاونية، %1</translation>
    </message>
    <message>
        <source>integer dot</source>
        <translation>جداء نقطي للأعداد الصحيحة</translation>
    </message>
    <message>
        <source>built without %1</source>
        <translation>بُني من دون %1</translation>
    </message>
    <message>
        <source>%1 (chosen with FIRESIDE_ISA; the processor has %2)</source>
        <translation>%1 (اختير عبر FIRESIDE_ISA؛ في المعالج %2)</translation>
    </message>
    <message>
        <source>%1 (the processor has %2, which FIRESIDE_ISA can choose)</source>
        <translation>%1 (في المعالج %2، ويمكن اختياره عبر FIRESIDE_ISA)</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 is not on this computer</source>
        <translation>%1 غير موجود على هذا الحاسوب</translation>
    </message>
    <message>
        <source>other devices were asked for</source>
        <translation>طُلبت أجهزة أخرى</translation>
    </message>
</context>
<context>
    <name>QPlatformTheme</name>
    <message>
        <source>OK</source>
        <translation>موافق</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>إلغاء</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>إغلاق</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>حفظ</translation>
    </message>
    <message>
        <source>&amp;Yes</source>
        <translation>&amp;نعم</translation>
    </message>
    <message>
        <source>&amp;No</source>
        <translation>&amp;لا</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>تجاهل</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>As the desktop</source>
        <translation>مثل سطح المكتب</translation>
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
        <translation>عالٍ</translation>
    </message>
    <message>
        <source>As the &amp;desktop</source>
        <translation>مثل &amp;سطح المكتب</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;فاتح</translation>
    </message>
    <message>
        <source>Dar&amp;k</source>
        <translation>&amp;داكن</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>الألوان</translation>
    </message>
    <message>
        <source>&amp;Contrast</source>
        <translation>&amp;التباين</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>&amp;اللغة</translation>
    </message>
    <message>
        <source>&amp;Text size</source>
        <translation>حجم &amp;النص</translation>
    </message>
    <message>
        <source> pt</source>
        <translation> نقطة</translation>
    </message>
    <message>
        <source>&amp;Nothing moves or blinks by itself</source>
        <translation>لا شيء &amp;يتحرك أو يومض من تلقاء نفسه</translation>
    </message>
    <message>
        <source>The caret, the dots of a reply that begins, and menus that fade in stand still.</source>
        <translation>يبقى مؤشر الكتابة ونقاط الرد الذي يبدأ والقوائم التي تظهر تدريجيًا ثابتة.</translation>
    </message>
    <message>
        <source>&amp;At most</source>
        <translation>على الأكثر</translation>
    </message>
    <message>
        <source>What a model has computed of a chat is kept, so that the chat answers at once when it is opened again. What was used longest ago goes first. 0: nothing is kept on the disk.</source>
        <translation>يُحفظ ما حسبه النموذج من المحادثة كي تجيب فورًا عند فتحها مرة أخرى. ما مضى على استعماله أطول وقت يُحذف أولًا. 0: لا يُحفظ شيء على القرص.</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>لا شيء</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> غيغابايت</translation>
    </message>
    <message>
        <source>Unload an unused mode&amp;l after</source>
        <translation>إلغاء تحميل نموذج غير مستعمل بعد</translation>
    </message>
    <message>
        <source>Its memory, on graphics cards above all, is then free for other programs. It comes back with the next message.</source>
        <translation>تصبح ذاكرته، على بطاقات الرسوم قبل غيرها، متاحة للبرامج الأخرى. يعود مع الرسالة التالية.</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>أبدًا</translation>
    </message>
    <message>
        <source> minutes</source>
        <translation> دقائق</translation>
    </message>
    <message>
        <source>&amp;Name chats</source>
        <translation>تسمية المحادثات</translation>
    </message>
    <message>
        <source>After its first reply the model gives a chat a title, when it has nothing else to do. Titles that you write stay. Models with fewer than half a billion parameters do not name chats.</source>
        <translation>بعد الرد الأول يعطي النموذج المحادثة عنوانًا حين لا يكون مشغولًا. العناوين التي تكتبها تبقى. النماذج التي تقل عن نصف مليار معامل لا تسمي المحادثات.</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>تلقائي</translation>
    </message>
    <message>
        <source>Graphics processor (Vulkan)</source>
        <translation>معالج الرسوم (Vulkan)</translation>
    </message>
    <message>
        <source>Processor (CPU)</source>
        <translation>المعالج (CPU)</translation>
    </message>
    <message>
        <source>F16 (usual)</source>
        <translation>F16 (المعتاد)</translation>
    </message>
    <message>
        <source>Q8_0 (half the memory)</source>
        <translation>Q8_0 (نصف الذاكرة)</translation>
    </message>
    <message>
        <source>F32 (exact, twice the memory)</source>
        <translation>F32 (دقيق، ضعف الذاكرة)</translation>
    </message>
    <message>
        <source>Keep as they are</source>
        <translation>تُترك كما هي</translation>
    </message>
    <message>
        <source>Q8_0 (8.5 bits each)</source>
        <translation>Q8_0 (8.5 بت لكل وزن)</translation>
    </message>
    <message>
        <source>Q6_K (6.6 bits)</source>
        <translation>Q6_K (6.6 بت)</translation>
    </message>
    <message>
        <source>Q5_K_M (5.7 bits)</source>
        <translation>Q5_K_M (5.7 بت)</translation>
    </message>
    <message>
        <source>Q4_K_M (4.9 bits)</source>
        <translation>Q4_K_M (4.9 بت)</translation>
    </message>
    <message>
        <source>&amp;Run on</source>
        <translation>&amp;التشغيل على</translation>
    </message>
    <message>
        <source>Automatic takes the graphics processor when it is usable and the model fits, else the CPU, and always says why.</source>
        <translation>يأخذ التلقائي معالج الرسوم حين يكون صالحًا ويتسع للنموذج، وإلا فالمعالج، ويذكر السبب دائمًا.</translation>
    </message>
    <message>
        <source>&amp;Context</source>
        <translation>&amp;السياق</translation>
    </message>
    <message>
        <source>How much of a chat the model can see. More needs more memory. Automatic: what the model was trained for, 8,192 tokens at most.</source>
        <translation>كم يرى النموذج من المحادثة. الأكثر يحتاج ذاكرة أكثر. تلقائي: ما دُرّب عليه النموذج، 8,192 رمزًا على الأكثر.</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> رمز</translation>
    </message>
    <message>
        <source>Context &amp;memory</source>
        <translation>&amp;ذاكرة السياق</translation>
    </message>
    <message>
        <source>The number format in which the model remembers the chat.</source>
        <translation>صيغة الأعداد التي يتذكر بها النموذج المحادثة.</translation>
    </message>
    <message>
        <source>&amp;Weights</source>
        <translation>&amp;الأوزان</translation>
    </message>
    <message>
        <source>What weights of 16 and 32 bits become while the model is loaded: fewer bits need less memory and answer faster. The file stays as it is; weights that are quantised in it do too.</source>
        <translation>ما تصير إليه الأوزان ذات 16 و32 بت أثناء تحميل النموذج: البتات الأقل تحتاج ذاكرة أقل وتجيب أسرع. يبقى الملف كما هو، وكذلك الأوزان المكمّمة فيه.</translation>
    </message>
    <message>
        <source>&amp;Threads</source>
        <translation>&amp;خيوط المعالجة</translation>
    </message>
    <message>
        <source>Processor threads that calculate. Automatic: one for each physical core, of several kinds the fast ones.</source>
        <translation>خيوط المعالج التي تحسب. تلقائي: خيط لكل نواة فعلية، والسريعة منها إن تعددت الأنواع.</translation>
    </message>
    <message>
        <source>Dev&amp;ices to use</source>
        <translation>&amp;الأجهزة المستعملة</translation>
    </message>
    <message>
        <source>The first that has room is taken. A limit is what Fireside may take of a device&apos;s memory, a reserve what stays free for other programs.</source>
        <translation>يُؤخذ أول جهاز يتسع. الحد هو ما يجوز أن يأخذه Fireside من ذاكرة الجهاز، والاحتياطي ما يبقى للبرامج الأخرى.</translation>
    </message>
    <message>
        <source>Take the fastest of t&amp;hese, not the first</source>
        <translation>خذ &amp;الأسرع منها لا الأول</translation>
    </message>
    <message>
        <source>The order counts as long as their speeds are unknown. Where no device is singled out above, the fastest is taken anyway.</source>
        <translation>يُعتد بالترتيب ما دامت السرعات مجهولة. إن لم يُحدد جهاز أعلاه فالأسرع يؤخذ على أي حال.</translation>
    </message>
    <message>
        <source>La&amp;yers on graphics processors</source>
        <translation>&amp;الطبقات على معالجات الرسوم</translation>
    </message>
    <message>
        <source>The other layers of a model run on the CPU. Automatic: as is best.</source>
        <translation>تعمل بقية طبقات النموذج على المعالج. تلقائي: ما هو أفضل.</translation>
    </message>
    <message>
        <source>Layers with their experts on &amp;graphics processors</source>
        <translation>الطبقات التي خبراؤها على معالجات &amp;الرسوم</translation>
    </message>
    <message>
        <source>Of mixtures of experts: everything else of all layers runs on a graphics processor, the experts of the other layers on the CPU. Automatic: as is best.</source>
        <translation>في خلائط الخبراء: كل ما عدا الخبراء من جميع الطبقات يعمل على معالج الرسوم، وخبراء بقية الطبقات على المعالج. تلقائي: ما هو أفضل.</translation>
    </message>
    <message>
        <source>The context memory may &amp;become smaller</source>
        <translation>يجوز أن تصغر &amp;ذاكرة السياق</translation>
    </message>
    <message>
        <source>Q8_0 takes half the memory of F16. Only where the model does not fit on a graphics processor otherwise.</source>
        <translation>يأخذ Q8_0 نصف ذاكرة F16. فقط حيث لا يتسع معالج الرسوم للنموذج بغير ذلك.</translation>
    </message>
    <message>
        <source>The context may shrin&amp;k to</source>
        <translation>يجوز أن يتقلص &amp;السياق إلى</translation>
    </message>
    <message>
        <source>Only where the model does not fit on a graphics processor otherwise.</source>
        <translation>فقط حيث لا يتسع معالج الرسوم للنموذج بغير ذلك.</translation>
    </message>
    <message>
        <source>E&amp;xactly so, or not at all</source>
        <translation>هكذا &amp;تمامًا أو لا شيء</translation>
    </message>
    <message>
        <source>What cannot be met is an error, and no layer goes to the CPU unasked.</source>
        <translation>ما لا يمكن تحقيقه خطأ، ولا تنتقل طبقة إلى المعالج دون سؤال.</translation>
    </message>
    <message>
        <source>As the model likes</source>
        <translation>كما يشاء النموذج</translation>
    </message>
    <message>
        <source>On</source>
        <translation>مفعّل</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>معطّل</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>منخفض</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>متوسط</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>السؤال</translation>
    </message>
    <message>
        <source>Leave out the oldest messages</source>
        <translation>ترك أقدم الرسائل</translation>
    </message>
    <message>
        <source>Summarise the oldest messages</source>
        <translation>تلخيص أقدم الرسائل</translation>
    </message>
    <message>
        <source>System &amp;prompt</source>
        <translation>&amp;تعليمات النظام</translation>
    </message>
    <message>
        <source>Told to the model before every chat. Empty: the model&apos;s own.</source>
        <translation>تُقال للنموذج قبل كل محادثة. فارغ: تعليمات النموذج نفسه.</translation>
    </message>
    <message>
        <source>For example: You are a patient teacher. Answer briefly.</source>
        <translation>مثلًا: أنت معلّم صبور. أجب باختصار.</translation>
    </message>
    <message>
        <source>&amp;Temperature</source>
        <translation>&amp;الحرارة</translation>
    </message>
    <message>
        <source>How freely words are chosen. 0: always the likeliest one; above 1 it gets wild.</source>
        <translation>مدى حرية اختيار الكلمات. 0: الأرجح دائمًا؛ فوق 1 يصبح جامحًا.</translation>
    </message>
    <message>
        <source>Top-&amp;k</source>
        <translation>Top-&amp;k</translation>
    </message>
    <message>
        <source>Choose only among this many of the likeliest words. 0: off.</source>
        <translation>الاختيار فقط من هذا العدد من أرجح الكلمات. 0: معطّل.</translation>
    </message>
    <message>
        <source>T&amp;op-p</source>
        <translation>T&amp;op-p</translation>
    </message>
    <message>
        <source>Choose only among the likeliest words that together reach this probability. 1: off.</source>
        <translation>الاختيار فقط من أرجح الكلمات التي تبلغ معًا هذا الاحتمال. 1: معطّل.</translation>
    </message>
    <message>
        <source>M&amp;in-p</source>
        <translation>M&amp;in-p</translation>
    </message>
    <message>
        <source>Leave out words less likely than this part of the likeliest one. 0: off.</source>
        <translation>ترك الكلمات الأقل احتمالًا من هذا الجزء من الأرجح. 0: معطّل.</translation>
    </message>
    <message>
        <source>Repetition p&amp;enalty</source>
        <translation>&amp;عقوبة التكرار</translation>
    </message>
    <message>
        <source>Makes words that were used already less likely. 1: off; 1.1 is mild.</source>
        <translation>تجعل الكلمات المستعملة من قبل أقل احتمالًا. 1: معطّل؛ 1.1 خفيف.</translation>
    </message>
    <message>
        <source>&amp;Seed</source>
        <translation>&amp;البذرة</translation>
    </message>
    <message>
        <source>The same number, question and settings give the same reply. Empty: a new one each time, kept with the reply.</source>
        <translation>العدد والسؤال والإعدادات نفسها تعطي الرد نفسه. فارغ: عدد جديد كل مرة، يُحفظ مع الرد.</translation>
    </message>
    <message>
        <source>New for each reply</source>
        <translation>جديد لكل رد</translation>
    </message>
    <message>
        <source>&amp;Longest reply</source>
        <translation>&amp;أطول رد</translation>
    </message>
    <message>
        <source>In tokens; a token is about three quarters of an English word. 0: until the context is full.</source>
        <translation>بالرموز؛ الرمز نحو ثلاثة أرباع كلمة إنجليزية. 0: حتى يمتلئ السياق.</translation>
    </message>
    <message>
        <source>Until the context is full</source>
        <translation>حتى يمتلئ السياق</translation>
    </message>
    <message>
        <source>Stop strin&amp;gs</source>
        <translation>نصوص &amp;التوقف</translation>
    </message>
    <message>
        <source>One per line: a reply ends before the first of these. \n stands for a line break, \t for a tab, \\ for a backslash.</source>
        <translation>نص في كل سطر: ينتهي الرد قبل أول واحد منها. \n تعني سطرًا جديدًا، و\t علامة جدولة، و\\ شرطة مائلة عكسية.</translation>
    </message>
    <message>
        <source>Thi&amp;nking</source>
        <translation>&amp;التفكير</translation>
    </message>
    <message>
        <source>Whether the model thinks before it answers. Only some models can be told.</source>
        <translation>هل يفكر النموذج قبل أن يجيب. لا يمكن أن يُقال ذلك إلا لبعض النماذج.</translation>
    </message>
    <message>
        <source>Thinking e&amp;ffort</source>
        <translation>&amp;جهد التفكير</translation>
    </message>
    <message>
        <source>How thoroughly the model thinks. Only some models can be told.</source>
        <translation>مدى تعمق النموذج في التفكير. لا يمكن أن يُقال ذلك إلا لبعض النماذج.</translation>
    </message>
    <message>
        <source>Longest t&amp;houghts</source>
        <translation>أطول &amp;أفكار</translation>
    </message>
    <message>
        <source>In tokens: then the model stops thinking and answers. 0: no limit.</source>
        <translation>بالرموز: عندها يكف النموذج عن التفكير ويجيب. 0: بلا حد.</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>بلا حد</translation>
    </message>
    <message>
        <source>When a chat outgro&amp;ws the context</source>
        <translation>حين تتجاوز المحادثة &amp;السياق</translation>
    </message>
    <message>
        <source>Nothing is lost: the messages stay in the chat, and a line shows where the model&apos;s view begins. A summary is written by the model and stands in the chat.</source>
        <translation>لا يضيع شيء: تبقى الرسائل في المحادثة، ويبين خط أين تبدأ رؤية النموذج. الملخص يكتبه النموذج ويوضع في المحادثة.</translation>
    </message>
    <message>
        <source>&amp;Rounds of tools</source>
        <translation>&amp;جولات الأدوات</translation>
    </message>
    <message>
        <source>How often in a row the model may call tools before it has to answer a message.</source>
        <translation>كم مرة متتالية يجوز للنموذج أن يستدعي أدوات قبل أن يجيب عن رسالة.</translation>
    </message>
    <message>
        <source>&amp;Wait for a tool</source>
        <translation>&amp;انتظار أداة</translation>
    </message>
    <message>
        <source>A call that gives no sign for so long is given up.</source>
        <translation>الاستدعاء الذي لا يصدر عنه شيء طوال هذه المدة يُترك.</translation>
    </message>
    <message>
        <source> seconds</source>
        <translation> ثانية</translation>
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
        <translation>عقوبة &amp;التردد</translation>
    </message>
    <message>
        <source>Makes a word less likely with every time it was used. 0: off; below 0 likelier.</source>
        <translation>تجعل الكلمة أقل احتمالًا مع كل مرة استُعملت فيها. 0: معطّل؛ تحت 0 أرجح.</translation>
    </message>
    <message>
        <source>Presen&amp;ce penalty</source>
        <translation>عقوبة &amp;الحضور</translation>
    </message>
    <message>
        <source>Makes a word less likely once it was used, however often. 0: off; below 0 likelier.</source>
        <translation>تجعل الكلمة أقل احتمالًا متى استُعملت، مهما كثر ذلك. 0: معطّل؛ تحت 0 أرجح.</translation>
    </message>
    <message>
        <source>Penalties look &amp;back</source>
        <translation>مدى نظر العقوبات إلى &amp;الوراء</translation>
    </message>
    <message>
        <source>How many of the latest tokens the penalties count.</source>
        <translation>كم من آخر الرموز تحسبها العقوبات.</translation>
    </message>
    <message>
        <source>Typical-p</source>
        <translation>Typical-p</translation>
    </message>
    <message>
        <source>Choose only among the words that are about as surprising as can be expected here, as many as reach this probability. 1: off.</source>
        <translation>الاختيار فقط من الكلمات التي مفاجأتها نحو المتوقع هنا، بالعدد الذي يبلغ هذا الاحتمال. 1: معطّل.</translation>
    </message>
    <message>
        <source>Top-n-sigma</source>
        <translation>Top-n-sigma</translation>
    </message>
    <message>
        <source>Leave out words that lie further below the likeliest one than this many standard deviations. 0: off.</source>
        <translation>ترك الكلمات التي تقل عن الأرجح بأكثر من هذا العدد من الانحرافات المعيارية. 0: معطّل.</translation>
    </message>
    <message>
        <source>XTC probability</source>
        <translation>احتمال XTC</translation>
    </message>
    <message>
        <source>How often the likeliest words are left out, so that another good one is taken. 0: off.</source>
        <translation>كم مرة تُترك أرجح الكلمات كي تؤخذ كلمة جيدة أخرى. 0: معطّل.</translation>
    </message>
    <message>
        <source>XTC threshold</source>
        <translation>عتبة XTC</translation>
    </message>
    <message>
        <source>Only words at least as likely as this are left out, and one of them always stays. Above 0.5 nothing is.</source>
        <translation>لا تُترك إلا الكلمات التي احتمالها هذا على الأقل، وتبقى واحدة منها دائمًا. فوق 0.5 لا شيء.</translation>
    </message>
    <message>
        <source>Dynamic temperature</source>
        <translation>حرارة متغيرة</translation>
    </message>
    <message>
        <source>The temperature is so much lower where the model is sure, and so much higher where it is not. 0: off.</source>
        <translation>الحرارة أقل بهذا القدر حيث النموذج واثق، وأعلى بمثله حيث ليس كذلك. 0: معطّل.</translation>
    </message>
    <message>
        <source>Dynamic exponent</source>
        <translation>أس الحرارة المتغيرة</translation>
    </message>
    <message>
        <source>Above 1 the dynamic temperature stays low for longer, below 1 it rises soon.</source>
        <translation>فوق 1 تبقى الحرارة المتغيرة منخفضة أطول، وتحت 1 ترتفع سريعًا.</translation>
    </message>
    <message>
        <source>Mirostat</source>
        <translation>Mirostat</translation>
    </message>
    <message>
        <source>Keeps the surprise of the words near a target. Then top-k, top-p, min-p and all that follows them are not used.</source>
        <translation>يُبقي مفاجأة الكلمات قرب هدف. عندها لا يُستعمل top-k وtop-p وmin-p وكل ما يليها.</translation>
    </message>
    <message>
        <source>Mirostat target</source>
        <translation>هدف Mirostat</translation>
    </message>
    <message>
        <source>The surprise that Mirostat aims at, in bits a token.</source>
        <translation>المفاجأة التي يقصدها Mirostat، بالبت لكل رمز.</translation>
    </message>
    <message>
        <source>Mirostat rate</source>
        <translation>معدل Mirostat</translation>
    </message>
    <message>
        <source>How quickly Mirostat answers to surprises.</source>
        <translation>ما سرعة استجابة Mirostat للمفاجآت.</translation>
    </message>
    <message>
        <source>Likelier &amp;words</source>
        <translation>كلمات &amp;أرجح</translation>
    </message>
    <message>
        <source>One per line, a word or its beginning and how much likelier it becomes: maybe=-5, certainly=2. -100: never, 100: always. #1234=-5 is the token with this number.</source>
        <translation>واحدة في كل سطر، كلمة أو بدايتها وكم تصبح أرجح: ربما=-5، أكيد=2. ‎-100: أبدًا، 100: دائمًا. ‎#1234=-5 هو الرمز بهذا الرقم.</translation>
    </message>
    <message>
        <source>maybe=-5</source>
        <translation>ربما=-5</translation>
    </message>
    <message>
        <source>DRY strength</source>
        <translation>شدة DRY</translation>
    </message>
    <message>
        <source>Makes words less likely that would go on with a sequence that was written before. 0: off; 0.8 is usual.</source>
        <translation>تجعل الكلمات التي تواصل تسلسلًا كُتب من قبل أقل احتمالًا. 0: معطّل؛ 0.8 هو المعتاد.</translation>
    </message>
    <message>
        <source>DRY base</source>
        <translation>أساس DRY</translation>
    </message>
    <message>
        <source>How much stronger it becomes with each further token of the sequence.</source>
        <translation>كم تشتد مع كل رمز إضافي من التسلسل.</translation>
    </message>
    <message>
        <source>DRY allowed length</source>
        <translation>الطول المسموح في DRY</translation>
    </message>
    <message>
        <source>Sequences shorter than this may be repeated.</source>
        <translation>يجوز تكرار التسلسلات الأقصر من هذا.</translation>
    </message>
    <message>
        <source>DRY looks back</source>
        <translation>مدى نظر DRY إلى الوراء</translation>
    </message>
    <message>
        <source>How many of the latest tokens are searched for sequences. 0: all.</source>
        <translation>في كم من آخر الرموز يُبحث عن تسلسلات. 0: الكل.</translation>
    </message>
    <message>
        <source>All</source>
        <translation>الكل</translation>
    </message>
    <message>
        <source>DRY breakers</source>
        <translation>فواصل DRY</translation>
    </message>
    <message>
        <source>One per line: no sequence goes beyond a token that holds one of these. \n stands for a line break.</source>
        <translation>واحد في كل سطر: لا يتجاوز تسلسل رمزًا فيه أحدها. \n تعني سطرًا جديدًا.</translation>
    </message>
    <message>
        <source>This computer only</source>
        <translation>هذا الحاسوب فقط</translation>
    </message>
    <message>
        <source>Other computers, too (needs a key)</source>
        <translation>حواسيب أخرى أيضًا (يلزم مفتاح)</translation>
    </message>
    <message>
        <source>&amp;Let other programs use the model</source>
        <translation>السماح لبرامج أخرى باستعمال &amp;النموذج</translation>
    </message>
    <message>
        <source>They can ask the model that is loaded here, in the way of OpenAI&apos;s and Anthropic&apos;s APIs. They see none of your chats, and nothing of what they ask is stored or logged. Your own chats come first.</source>
        <translation>يمكنها أن تسأل النموذج المحمّل هنا بطريقة واجهتي OpenAI وAnthropic. لا ترى شيئًا من محادثاتك، ولا يُحفظ أو يُسجل شيء مما تسأل. محادثاتك أنت أولًا.</translation>
    </message>
    <message>
        <source>&amp;Reachable from</source>
        <translation>&amp;يمكن الوصول من</translation>
    </message>
    <message>
        <source>Other computers on the network are let in only with a key of at least 16 characters. What they send is not encrypted.</source>
        <translation>لا تُقبل حواسيب أخرى في الشبكة إلا بمفتاح من 16 حرفًا على الأقل. ما ترسله ليس معمّى.</translation>
    </message>
    <message>
        <source>&amp;Port</source>
        <translation>&amp;المنفذ</translation>
    </message>
    <message>
        <source>Where programs look for the server.</source>
        <translation>حيث تبحث البرامج عن الخادم.</translation>
    </message>
    <message>
        <source>Replies at &amp;once</source>
        <translation>ردود &amp;معًا</translation>
    </message>
    <message>
        <source>Besides the one in the window. Further requests wait for their turn.</source>
        <translation>إلى جانب الذي في النافذة. تنتظر الطلبات الأخرى دورها.</translation>
    </message>
    <message>
        <source>&amp;Web pages that may ask</source>
        <translation>&amp;صفحات الويب التي يجوز لها السؤال</translation>
    </message>
    <message>
        <source>Where such a page comes from, one to a line. All others are refused, so that no page you visit can use the model.</source>
        <translation>من أين تأتي الصفحة، واحدة في كل سطر. تُرفض كل الصفحات الأخرى فلا تستطيع صفحة تزورها استعمال النموذج.</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>التعليمات</translation>
    </message>
    <message>
        <source>Choice of words</source>
        <translation>اختيار الكلمات</translation>
    </message>
    <message>
        <source>Repetition</source>
        <translation>التكرار</translation>
    </message>
    <message>
        <source>Length and end</source>
        <translation>الطول والنهاية</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>التفكير</translation>
    </message>
    <message>
        <source>Further ways to choose words</source>
        <translation>طرق أخرى لاختيار الكلمات</translation>
    </message>
    <message>
        <source>Repeated sequences (DRY)</source>
        <translation>التسلسلات المكررة (DRY)</translation>
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
        <translation>كان ملف الإعدادات تالفًا</translation>
    </message>
    <message>
        <source>The settings file belongs to a newer version of the program</source>
        <translation>ملف الإعدادات يخص إصدارًا أحدث من البرنامج</translation>
    </message>
    <message>
        <source>Settings cannot be stored: %1 cannot be written.</source>
        <translation>لا يمكن حفظ الإعدادات: لا يمكن الكتابة في %1.</translation>
    </message>
    <message>
        <source>%1. Defaults are used, the old file was kept as %2.</source>
        <translation>%1. تُستعمل القيم الافتراضية، وحُفظ الملف القديم باسم %2.</translation>
    </message>
    <message>
        <source>%1 and cannot be renamed. Defaults are used and changes are not stored.</source>
        <translation>%1 ولا يمكن تغيير اسمه. تُستعمل القيم الافتراضية ولا تُحفظ التغييرات.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>الإعدادات</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>الإعدادات المسبقة</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>القوالب</translation>
    </message>
    <message>
        <source>%1 cannot be written.</source>
        <translation>تتعذّر الكتابة إلى %1.</translation>
    </message>
</context>
<context>
    <name>fireside::AppearancePage</name>
    <message>
        <source>Preview</source>
        <translation>معاينة</translation>
    </message>
    <message>
        <source>Why is the sky blue?</source>
        <translation>لماذا السماء زرقاء؟</translation>
    </message>
    <message>
        <source>Air scatters short, blue waves of sunlight far more than long, red ones, so blue light reaches the eye from every direction.</source>
        <translation>يبعثر الهواء موجات ضوء الشمس القصيرة الزرقاء أكثر بكثير من الطويلة الحمراء، فيصل الضوء الأزرق إلى العين من كل اتجاه.</translation>
    </message>
    <message>
        <source>12.3 tok/s · 41 tokens</source>
        <translation>12.3 رمز/ث · 41 رمزًا</translation>
    </message>
</context>
<context>
    <name>fireside::AttachmentList</name>
    <message>
        <source>Attached files</source>
        <translation>الملفات المرفقة</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>الرموز: %1</translation>
    </message>
    <message>
        <source>Remove this file</source>
        <translation>إزالة هذا الملف</translation>
    </message>
    <message>
        <source>Remove “%1”</source>
        <translation>إزالة «%1»</translation>
    </message>
</context>
<context>
    <name>fireside::AuthTexts</name>
    <message>
        <source>“%1” is no address that can be used</source>
        <translation>«%1» ليس عنوانًا صالحًا للاستعمال</translation>
    </message>
    <message>
        <source>%1 is without encryption; only https can be used</source>
        <translation>%1 بلا تعمية؛ لا يصلح إلا https</translation>
    </message>
    <message>
        <source>%1 is in your own network, where a server elsewhere has nothing to ask for</source>
        <translation>%1 في شبكتك الخاصة، وليس لخادم في مكان آخر شأن فيها</translation>
    </message>
    <message>
        <source>sign-in for tools of %1</source>
        <translation>تسجيل الدخول لأدوات %1</translation>
    </message>
    <message>
        <source>it wants to be signed in to again and again</source>
        <translation>يطلب تسجيل الدخول مرة بعد مرة</translation>
    </message>
    <message>
        <source>one signs in over https only</source>
        <translation>لا يُسجَّل الدخول إلا عبر https</translation>
    </message>
    <message>
        <source>it refuses the sign-in that it has just got</source>
        <translation>يرفض تسجيل الدخول الذي حصل عليه للتو</translation>
    </message>
    <message>
        <source>it wants you to sign in, but: %1</source>
        <translation>يريد منك تسجيل الدخول، لكن: %1</translation>
    </message>
    <message>
        <source>it refuses this although it was given the rights that it asks for (%1)</source>
        <translation>يرفض هذا مع أنه أُعطي الحقوق التي يطلبها (%1)</translation>
    </message>
    <message>
        <source>it refuses the token that it has just got</source>
        <translation>يرفض الرمز الذي حصل عليه للتو</translation>
    </message>
    <message>
        <source>HTTP %1</source>
        <translation>HTTP %1</translation>
    </message>
    <message>
        <source>no token was given: %1</source>
        <translation>لم يُعطَ رمز: %1</translation>
    </message>
    <message>
        <source>Fireside is offline</source>
        <translation>Fireside غير متصل</translation>
    </message>
    <message>
        <source>you are not signed in</source>
        <translation>لم تسجّل الدخول</translation>
    </message>
    <message>
        <source>the answer does not come from %1, which was asked</source>
        <translation>الجواب ليس من %1 الذي سُئل</translation>
    </message>
    <message>
        <source>access was not granted</source>
        <translation>لم يُمنح الوصول</translation>
    </message>
    <message>
        <source>it was refused: %1</source>
        <translation>رُفض: %1</translation>
    </message>
    <message>
        <source>the browser came back without a code</source>
        <translation>عاد المتصفح بلا شيفرة</translation>
    </message>
    <message>
        <source>there is no keyring here</source>
        <translation>لا توجد حلقة مفاتيح هنا</translation>
    </message>
    <message>
        <source>it does not say where one signs in</source>
        <translation>لا يقول أين يُسجَّل الدخول</translation>
    </message>
    <message>
        <source>%1 does not say how one signs in</source>
        <translation>لا يقول %1 كيف يُسجَّل الدخول</translation>
    </message>
    <message>
        <source>its description is about another server, “%1”</source>
        <translation>وصفه عن خادم آخر، «%1»</translation>
    </message>
    <message>
        <source>%1 describes itself as “%2”</source>
        <translation>يصف %1 نفسه بأنه «%2»</translation>
    </message>
    <message>
        <source>it does not announce PKCE (S256), without which signing in is not safe</source>
        <translation>لا يعلن عن PKCE (S256)، ومن دونه لا يكون تسجيل الدخول آمنًا</translation>
    </message>
    <message>
        <source>the registration has no usable client ID</source>
        <translation>ليس في التسجيل معرّف عميل صالح</translation>
    </message>
    <message>
        <source>the answer holds no usable token</source>
        <translation>ليس في الجواب رمز صالح</translation>
    </message>
    <message>
        <source>the token is of the kind “%1”, which Fireside does not know</source>
        <translation>الرمز من النوع «%1» الذي لا يعرفه Fireside</translation>
    </message>
    <message>
        <source>the browser has not come back</source>
        <translation>لم يعد المتصفح</translation>
    </message>
    <message>
        <source>no port of this computer is free: %1</source>
        <translation>لا منفذ شاغرًا على هذا الحاسوب: %1</translation>
    </message>
    <message>
        <source>port %1 of this computer is taken by another program</source>
        <translation>المنفذ %1 على هذا الحاسوب يشغله برنامج آخر</translation>
    </message>
    <message>
        <source>%1 does not register programs by itself: enter the client ID that it has given you in the server&apos;s settings</source>
        <translation>لا يسجّل %1 البرامج من تلقاء نفسه: أدخل معرّف العميل الذي أعطاك إياه في إعدادات الخادم</translation>
    </message>
    <message>
        <source>Fireside could not be registered: %1</source>
        <translation>تعذّر تسجيل Fireside: %1</translation>
    </message>
    <message>
        <source>the answer is not the JSON that it should be</source>
        <translation>الجواب ليس JSON كما ينبغي</translation>
    </message>
    <message>
        <source>Signed in</source>
        <translation>تم تسجيل الدخول</translation>
    </message>
    <message>
        <source>You can close this page and go back to Fireside.</source>
        <translation>يمكنك إغلاق هذه الصفحة والعودة إلى Fireside.</translation>
    </message>
    <message>
        <source>Not signed in</source>
        <translation>لم يُسجَّل الدخول</translation>
    </message>
    <message>
        <source>You can close this page. Fireside says what went wrong.</source>
        <translation>يمكنك إغلاق هذه الصفحة. يقول Fireside ما الخطأ الذي حدث.</translation>
    </message>
    <message>
        <source>the key in %1 cannot be read: %2</source>
        <translation>لا يمكن قراءة المفتاح في %1: %2</translation>
    </message>
    <message>
        <source>%1 holds no key of the curve P-256 (ES256) without a password</source>
        <translation>لا يحوي %1 مفتاحًا على المنحنى P-256 (ES256) بلا كلمة مرور</translation>
    </message>
    <message>
        <source>sign-out from tools of %1</source>
        <translation>تسجيل الخروج من أدوات %1</translation>
    </message>
</context>
<context>
    <name>fireside::BackendPanel</name>
    <message>
        <source>Devices of this computer</source>
        <translation>أجهزة هذا الحاسوب</translation>
    </message>
    <message>
        <source>These are &amp;for:</source>
        <translation>هذه &amp;من أجل:</translation>
    </message>
    <message>
        <source>What these settings are for</source>
        <translation>ما تسري عليه هذه الإعدادات</translation>
    </message>
    <message>
        <source>Every model</source>
        <translation>كل نموذج</translation>
    </message>
    <message>
        <source>“%1” alone</source>
        <translation>«%1» وحده</translation>
    </message>
    <message>
        <source>&amp;Use those of every model</source>
        <translation>استعمال إعدادات &amp;كل النماذج</translation>
    </message>
    <message>
        <source>&amp;Use defaults</source>
        <translation>استعمال &amp;القيم الافتراضية</translation>
    </message>
    <message>
        <source>Will it fit: %1</source>
        <translation>هل يتسع له: %1</translation>
    </message>
    <message>
        <source>Reload model &amp;now</source>
        <translation>إعادة تحميل النموذج &amp;الآن</translation>
    </message>
    <message>
        <source>This computer&apos;s devices are still being examined.</source>
        <translation>لا تزال أجهزة هذا الحاسوب قيد الفحص.</translation>
    </message>
    <message>
        <source>Models run on the processor, even when a graphics processor could take them.</source>
        <translation>تعمل النماذج على المعالج حتى لو كان معالج الرسوم قادرًا على أخذها.</translation>
    </message>
    <message>
        <source>Models run on %1. A model that does not fit is an error, not a silent change to the CPU.</source>
        <translation>تعمل النماذج على %1. النموذج الذي لا يتسع له خطأ لا انتقال صامت إلى المعالج.</translation>
    </message>
    <message>
        <source>Models run on the CPU: %1 is a software device, slower than the CPU itself.</source>
        <translation>تعمل النماذج على المعالج: %1 جهاز برمجي أبطأ من المعالج نفسه.</translation>
    </message>
    <message>
        <source>Models that fit run on %1, others on the CPU.</source>
        <translation>النماذج التي يتسع لها تعمل على %1، وغيرها على المعالج.</translation>
    </message>
    <message>
        <source>Models run on the CPU, because %1.</source>
        <translation>تعمل النماذج على المعالج لأن %1.</translation>
    </message>
    <message>
        <source>Warning: %1</source>
        <translation>تحذير: %1</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>يجري تحميل النموذج…</translation>
    </message>
    <message>
        <source>“%1” keeps running as it was loaded. Reloading it with this choice would fail.</source>
        <translation>يواصل «%1» العمل كما حُمّل. إعادة تحميله بهذا الاختيار ستفشل.</translation>
    </message>
    <message>
        <source>“%1” was loaded with other settings. Reloading stops the running reply; its text stays.</source>
        <translation>حُمّل «%1» بإعدادات أخرى. إعادة التحميل توقف الرد الجاري؛ ونصه يبقى.</translation>
    </message>
    <message>
        <source>“%1” was loaded with other settings. Reload it to use these.</source>
        <translation>حُمّل «%1» بإعدادات أخرى. أعد تحميله لاستعمال هذه.</translation>
    </message>
    <message>
        <source>Looking at this computer&apos;s processors…</source>
        <translation>يجري فحص معالجات هذا الحاسوب…</translation>
    </message>
    <message>
        <source>available</source>
        <translation>متاح</translation>
    </message>
    <message>
        <source>not available</source>
        <translation>غير متاح</translation>
    </message>
    <message>
        <source>%1 – not available</source>
        <translation>%1 – غير متاح</translation>
    </message>
    <message>
        <source>Details…</source>
        <translation>التفاصيل…</translation>
    </message>
    <message>
        <source>Details of %1</source>
        <translation>تفاصيل %1</translation>
    </message>
    <message>
        <source>no graphics processor is among the devices to use</source>
        <translation>لا يوجد معالج رسوم بين الأجهزة المختارة</translation>
    </message>
    <message>
        <source>no layers on graphics processors were asked for</source>
        <translation>لم تُطلب أي طبقات على معالجات الرسوم</translation>
    </message>
    <message>
        <source>no graphics processor was found</source>
        <translation>لم يُعثر على معالج رسوم</translation>
    </message>
    <message>
        <source>Vulkan cannot be used on this computer: %1.
With this choice no model will load. Choose Automatic to run on the CPU meanwhile.</source>
        <translation>لا يمكن استعمال Vulkan على هذا الحاسوب: %1.
بهذا الاختيار لن يُحمَّل أي نموذج. اختر «تلقائي» للعمل على المعالج في هذه الأثناء.</translation>
    </message>
    <message>
        <source>Load model &amp;now</source>
        <translation>تحميل النموذج &amp;الآن</translation>
    </message>
    <message>
        <source>“%1” is not loaded. Load it with these settings.</source>
        <translation>«%1» غير محمَّل. حمّله بهذه الإعدادات.</translation>
    </message>
    <message>
        <source>Up to %1 of a model&apos;s layers run on graphics processors, the others on the CPU.</source>
        <translation>تعمل حتى %1 من طبقات النموذج على معالجات الرسوميات، والباقي على المعالج.</translation>
    </message>
</context>
<context>
    <name>fireside::BuiltinTools</name>
    <message>
        <source>Calculator</source>
        <translation>آلة حاسبة</translation>
    </message>
    <message>
        <source>Date and time</source>
        <translation>التاريخ والوقت</translation>
    </message>
    <message>
        <source>List a folder</source>
        <translation>سرد مجلد</translation>
    </message>
    <message>
        <source>Read a file</source>
        <translation>قراءة ملف</translation>
    </message>
    <message>
        <source>Search files</source>
        <translation>البحث في ملفات</translation>
    </message>
    <message>
        <source>the arguments are no JSON object</source>
        <translation>ليست المعطيات كائن JSON</translation>
    </message>
    <message>
        <source>there is no such tool</source>
        <translation>لا توجد أداة كهذه</translation>
    </message>
</context>
<context>
    <name>fireside::Calculator</name>
    <message>
        <source>a function has no value there</source>
        <translation>ليس لدالة قيمة هناك</translation>
    </message>
    <message>
        <source>a whole number is needed</source>
        <translation>يلزم عدد صحيح</translation>
    </message>
    <message>
        <source>the root of a negative number is no real number</source>
        <translation>جذر عدد سالب ليس عددًا حقيقيًا</translation>
    </message>
    <message>
        <source>digits to round to go from 0 to 15</source>
        <translation>منازل التقريب من 0 إلى 15</translation>
    </message>
    <message>
        <source>“%1” is not understood</source>
        <translation>«%1» غير مفهوم</translation>
    </message>
    <message>
        <source>the expression ends too early</source>
        <translation>تنتهي العبارة قبل أوانها</translation>
    </message>
    <message>
        <source>a bracket is not closed</source>
        <translation>قوس لم يُغلق</translation>
    </message>
    <message>
        <source>the expression is nested too deeply</source>
        <translation>العبارة متداخلة بعمق زائد</translation>
    </message>
    <message>
        <source>a number has no digits</source>
        <translation>عدد بلا أرقام</translation>
    </message>
    <message>
        <source>“%1” is no number</source>
        <translation>«%1» ليس عددًا</translation>
    </message>
    <message>
        <source>“%1” is not known; there are: %2</source>
        <translation>«%1» غير معروف؛ يوجد: %2</translation>
    </message>
    <message>
        <source>“%1” needs its arguments in brackets</source>
        <translation>يحتاج «%1» معطياته بين أقواس</translation>
    </message>
    <message>
        <source>“%1” takes another number of arguments</source>
        <translation>يأخذ «%1» عددًا آخر من المعطيات</translation>
    </message>
    <message>
        <source>the expression has %1 characters; it may have %2</source>
        <translation>في العبارة %1 حرفًا؛ ويجوز %2</translation>
    </message>
    <message>
        <source>%1 (at character %2)</source>
        <translation>%1 (عند الحرف %2)</translation>
    </message>
    <message>
        <source>division by zero</source>
        <translation>قسمة على صفر</translation>
    </message>
    <message>
        <source>a power of a negative number that is no real number</source>
        <translation>قوة لعدد سالب ليست عددًا حقيقيًا</translation>
    </message>
    <message>
        <source>factorials are there of whole numbers from 0 to 170</source>
        <translation>المضروب للأعداد الصحيحة من 0 إلى 170</translation>
    </message>
    <message>
        <source>there is no such number</source>
        <translation>لا يوجد عدد كهذا</translation>
    </message>
    <message>
        <source>the number is too large</source>
        <translation>العدد أكبر مما ينبغي</translation>
    </message>
</context>
<context>
    <name>fireside::Calendar</name>
    <message>
        <source>“%1” is no time zone; they are called like “Europe/Oslo”</source>
        <translation>«%1» ليست منطقة زمنية؛ تُسمى مثل «Europe/Oslo»</translation>
    </message>
    <message>
        <source>“%1” is no date; they are written like 2026-07-28 or 2026-07-28T14:30</source>
        <translation>«%1» ليس تاريخًا؛ يُكتب مثل 2026-07-28 أو 2026-07-28T14:30</translation>
    </message>
    <message>
        <source>that is beyond the calendar</source>
        <translation>ذلك خارج التقويم</translation>
    </message>
</context>
<context>
    <name>fireside::CallBar</name>
    <message>
        <source>Arguments of the call</source>
        <translation>معطيات الاستدعاء</translation>
    </message>
    <message>
        <source>Run &amp;once</source>
        <translation>تشغيل &amp;مرة</translation>
    </message>
    <message>
        <source>This call alone</source>
        <translation>هذا الاستدعاء وحده</translation>
    </message>
    <message>
        <source>A&amp;llow in this chat</source>
        <translation>&amp;السماح في هذه المحادثة</translation>
    </message>
    <message>
        <source>Calls of this tool in this chat run unasked, whatever their arguments</source>
        <translation>تعمل استدعاءات هذه الأداة في هذه المحادثة دون سؤال مهما كانت معطياتها</translation>
    </message>
    <message>
        <source>&amp;Always allow</source>
        <translation>السماح &amp;دائمًا</translation>
    </message>
    <message>
        <source>Calls of this tool run unasked in every chat, until it changes or you take it back in the settings</source>
        <translation>تعمل استدعاءات هذه الأداة دون سؤال في كل محادثة حتى تتغير أو تسحب ذلك في الإعدادات</translation>
    </message>
    <message>
        <source>&amp;Do not run</source>
        <translation>&amp;عدم التشغيل</translation>
    </message>
    <message>
        <source>The model is told so, and goes on</source>
        <translation>يُخبر النموذج بذلك ويتابع</translation>
    </message>
    <message>
        <source>S&amp;how that chat</source>
        <translation>&amp;إظهار تلك المحادثة</translation>
    </message>
    <message>
        <source>built in</source>
        <translation>مضمّن</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>The model wants to call %1, %2. May it run?</source>
        <translation>يريد النموذج استدعاء %1، %2. هل يجوز تشغيلها؟</translation>
    </message>
    <message>
        <source>In another chat the model wants to call %1, %2.</source>
        <translation>في محادثة أخرى يريد النموذج استدعاء %1، %2.</translation>
    </message>
</context>
<context>
    <name>fireside::CallMessages</name>
    <message>
        <source>(It gave nothing.)</source>
        <translation>(لم تعطِ شيئًا.)</translation>
    </message>
</context>
<context>
    <name>fireside::ChatController</name>
    <message>
        <source>%1 (copy)</source>
        <translation>%1 (نسخة)</translation>
    </message>
    <message>
        <source>Not run: calls in %1 replies to one message are the limit. Answer with what is known.</source>
        <translation>لم تُشغَّل: الاستدعاءات في %1 من الردود على رسالة واحدة هي الحد. أجب بما هو معروف.</translation>
    </message>
    <message>
        <source>Error: there is no tool called “%1”. There are: %2</source>
        <translation>خطأ: لا توجد أداة باسم «%1». يوجد: %2</translation>
    </message>
    <message>
        <source>The user did not allow this call.</source>
        <translation>لم يسمح المستخدم بهذا الاستدعاء.</translation>
    </message>
    <message>
        <source>The permission could not be stored: %1</source>
        <translation>تعذر حفظ الإذن: %1</translation>
    </message>
    <message>
        <source>The user stopped this before it gave anything.</source>
        <translation>أوقف المستخدم هذا قبل أن يعطي شيئًا.</translation>
    </message>
</context>
<context>
    <name>fireside::ChatFiles</name>
    <message>
        <source>Import chats</source>
        <translation>استيراد محادثات</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>كل الملفات (*)</translation>
    </message>
    <message>
        <source>Reading chats…</source>
        <translation>تُقرأ المحادثات…</translation>
    </message>
    <message>
        <source>The chats could not be stored.</source>
        <translation>تعذر حفظ المحادثات.</translation>
    </message>
    <message>
        <source>Chats imported: %1 (messages: %2).</source>
        <translation>المحادثات المستوردة: %1 (الرسائل: %2).</translation>
    </message>
    <message>
        <source>Undo the import</source>
        <translation>التراجع عن الاستيراد</translation>
    </message>
    <message>
        <source>Export this chat</source>
        <translation>تصدير هذه المحادثة</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>Everything, for importing again (*.json)</source>
        <translation>كل شيء، للاستيراد ثانيةً (*.json)</translation>
    </message>
    <message>
        <source>PDF (*.pdf)</source>
        <translation>PDF (*.pdf)</translation>
    </message>
    <message>
        <source>Export all chats</source>
        <translation>تصدير كل المحادثات</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>محادثات</translation>
    </message>
    <message>
        <source>Print this chat</source>
        <translation>طباعة هذه المحادثة</translation>
    </message>
    <message>
        <source>Printing…</source>
        <translation>تجري الطباعة…</translation>
    </message>
    <message>
        <source>The chat was printed.</source>
        <translation>طُبعت المحادثة.</translation>
    </message>
    <message>
        <source>The chat could not be printed.</source>
        <translation>تعذرت طباعة المحادثة.</translation>
    </message>
    <message>
        <source>No installed font has these characters: %1</source>
        <translation>لا يحتوي أي خط مثبت على هذه الأحرف: %1</translation>
    </message>
    <message>
        <source>not all pages could be rendered</source>
        <translation>تعذر إنشاء كل الصفحات</translation>
    </message>
    <message>
        <source>there is not enough memory</source>
        <translation>الذاكرة غير كافية</translation>
    </message>
    <message>
        <source>Written to “%1”.</source>
        <translation>كُتب في «%1».</translation>
    </message>
    <message>
        <source>“%1” could not be written: %2</source>
        <translation>تعذرت كتابة «%1»: %2</translation>
    </message>
    <message>
        <source>Chats of Fireside, LM Studio, Jan, Open WebUI, ChatGPT or GPT4All (*.json *.jsonl *.zip *.chat)</source>
        <translation>محادثات Fireside أو LM Studio أو Jan أو Open WebUI أو ChatGPT أو GPT4All (*.json *.jsonl *.zip *.chat)</translation>
    </message>
    <message>
        <source>Pictures and other files that were not imported: %1.</source>
        <translation>الصور والملفات الأخرى التي لم تُستورَد: %1.</translation>
    </message>
    <message>
        <source>Messages without text that were not imported: %1.</source>
        <translation>الرسائل الخالية من النص التي لم تُستورَد: %1.</translation>
    </message>
    <message>
        <source>Further chats that were not imported: %1.</source>
        <translation>محادثات أخرى لم تُستورَد: %1.</translation>
    </message>
    <message>
        <source>Chats updated: %1 (new messages: %2).</source>
        <translation>المحادثات المحدَّثة: %1 (رسائل جديدة: %2).</translation>
    </message>
    <message>
        <source>Chats already here: %1.</source>
        <translation>المحادثات الموجودة من قبل: %1.</translation>
    </message>
</context>
<context>
    <name>fireside::ChatNamer</name>
    <message>
        <source>The loaded model is too small to name chats: it takes half a billion parameters.</source>
        <translation>النموذج المحمّل أصغر من أن يسمي المحادثات: يلزم لذلك نصف مليار معامل.</translation>
    </message>
    <message>
        <source>The chat was not named: %1</source>
        <translation>لم تُسمَّ المحادثة: %1</translation>
    </message>
    <message>
        <source>The model&apos;s answer was no title; the chat keeps its own.</source>
        <translation>لم يكن جواب النموذج عنوانًا؛ تحتفظ المحادثة بعنوانها.</translation>
    </message>
</context>
<context>
    <name>fireside::ChatPanel</name>
    <message>
        <source>Skip thinking</source>
        <translation>تخطي التفكير</translation>
    </message>
    <message>
        <source>The model&apos;s thoughts end here, and it answers</source>
        <translation>تنتهي أفكار النموذج هنا ويجيب</translation>
    </message>
    <message>
        <source>Reading the conversation… %1 %</source>
        <translation>تُقرأ المحادثة… %1 %</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>يبدأ…</translation>
    </message>
    <message>
        <source>Loading %1… %2 %</source>
        <translation>يجري تحميل %1… %2 %</translation>
    </message>
    <message>
        <source>No model is loaded: choose one with Ctrl+L</source>
        <translation>لم يُحمَّل أي نموذج: اختر واحدًا بـ Ctrl+L</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>يتوقف…</translation>
    </message>
    <message>
        <source>A reply is being written</source>
        <translation>يُكتب رد الآن</translation>
    </message>
    <message>
        <source>the program</source>
        <translation>البرنامج</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>اكتب رسالة</translation>
    </message>
    <message>
        <source>Message %1</source>
        <translation>رسالة إلى %1</translation>
    </message>
    <message>
        <source>This message has %1 tokens; in the model&apos;s context of %2 it may have %3.</source>
        <translation>في هذه الرسالة %1 من الرموز؛ وفي سياق النموذج البالغ %2 يجوز لها %3.</translation>
    </message>
    <message>
        <source>Reload with a larger context</source>
        <translation>إعادة التحميل بسياق أكبر</translation>
    </message>
    <message>
        <source>The likeliest here; choosing one begins another version</source>
        <translation>الأرجح هنا؛ اختيار أحدها يبدأ صيغة أخرى</translation>
    </message>
    <message>
        <source>end of the reply</source>
        <translation>نهاية الرد</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>«%1»</translation>
    </message>
    <message>
        <source>%1   %2 %</source>
        <translation>%1   %2 %</translation>
    </message>
    <message>
        <source>Waits for another reply to end…</source>
        <translation>ينتظر انتهاء رد آخر…</translation>
    </message>
</context>
<context>
    <name>fireside::ChatSettingsDialog</name>
    <message>
        <source>Settings of this chat</source>
        <translation>إعدادات هذه المحادثة</translation>
    </message>
    <message>
        <source>As in &amp;all chats</source>
        <translation>كما في &amp;كل المحادثات</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>محادثة جديدة</translation>
    </message>
</context>
<context>
    <name>fireside::CollectionFile</name>
    <message>
        <source>It was kept as %1.</source>
        <translation>حُفظ باسم %1.</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2.</source>
        <translation>لا يمكن قراءة %1: %2.</translation>
    </message>
    <message>
        <source>%1 has %2 bytes, more than the %3 that are read.</source>
        <translation>في %1 من البايتات %2، أكثر من %3 التي تُقرأ.</translation>
    </message>
    <message>
        <source>%1 is no valid JSON: %2.</source>
        <translation>ليس %1 صيغة JSON صحيحة: %2.</translation>
    </message>
    <message>
        <source>%1 is no file of this kind (“format” is not “%2”).</source>
        <translation>ليس %1 ملفًا من هذا النوع («format» ليس «%2»).</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2.</source>
        <translation>لا يمكن كتابة %1: %2.</translation>
    </message>
</context>
<context>
    <name>fireside::ColumnHeader</name>
    <message>
        <source>Chooses the model of this column</source>
        <translation>يختار نموذج هذا العمود</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>إيقاف</translation>
    </message>
    <message>
        <source>Stop: %1</source>
        <translation>إيقاف: %1</translation>
    </message>
    <message>
        <source>Keep this one</source>
        <translation>الاحتفاظ بهذه</translation>
    </message>
    <message>
        <source>Keep this one: %1</source>
        <translation>الاحتفاظ بهذه: %1</translation>
    </message>
    <message>
        <source>Ends the comparison and goes on with this answer and its model. The other one stays as a version of it.</source>
        <translation>ينهي المقارنة ويتابع بهذا الجواب ونموذجه. ويبقى الآخر نسخةً منه.</translation>
    </message>
    <message numerus="yes">
        <source>%1 · %n tokens</source>
        <translation>
            <numerusform>%1 · لا رموز</numerusform>
            <numerusform>%1 · رمز واحد</numerusform>
            <numerusform>%1 · رمزان</numerusform>
            <numerusform>%1 · %n رموز</numerusform>
            <numerusform>%1 · %n رمزًا</numerusform>
            <numerusform>%1 · %n رمز</numerusform>
        </translation>
    </message>
    <message>
        <source>Loading… %1 %</source>
        <translation>جارٍ التحميل… %1 %</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>يكتب…</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>يقرأ…</translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation>لا يوجد نموذج محمّل</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>جاهز</translation>
    </message>
    <message>
        <source>Ready · %1</source>
        <translation>جاهز · %1</translation>
    </message>
    <message>
        <source>Choose a model…</source>
        <translation>اختر نموذجًا…</translation>
    </message>
    <message>
        <source>%1 · 1 token</source>
        <translation>%1 · رمز واحد</translation>
    </message>
    <message>
        <source>Chooses the model of this column: %1</source>
        <translation>يختار نموذج هذا العمود: %1</translation>
    </message>
    <message>
        <source>End the comparison</source>
        <translation>إنهاء المقارنة</translation>
    </message>
</context>
<context>
    <name>fireside::Comparison</name>
    <message>
        <source>Both models do not fit into memory together (%1): each is loaded when it is its turn.</source>
        <translation>لا تتسع الذاكرة للنموذجين معًا (%1): يُحمَّل كل منهما حين يأتي دوره.</translation>
    </message>
    <message>
        <source>Both models run on %1: they answer one after the other, so that neither slows the other down.</source>
        <translation>يعمل النموذجان على %1: يجيبان واحدًا تلو الآخر حتى لا يبطئ أحدهما الآخر.</translation>
    </message>
</context>
<context>
    <name>fireside::ComparisonView</name>
    <message>
        <source>End the comparison</source>
        <translation>إنهاء المقارنة</translation>
    </message>
    <message>
        <source>First model</source>
        <translation>النموذج الأول</translation>
    </message>
    <message>
        <source>Second model</source>
        <translation>النموذج الثاني</translation>
    </message>
    <message>
        <source>Both models answer each message. The answers are versions of one chat, and both stay.</source>
        <translation>يجيب النموذجان عن كل رسالة. الجوابان نسختان من محادثة واحدة، ويبقى كلاهما.</translation>
    </message>
    <message>
        <source>Waits for its turn</source>
        <translation>ينتظر دوره</translation>
    </message>
    <message>
        <source>The second model has not answered yet</source>
        <translation>لم يجب النموذج الثاني بعد</translation>
    </message>
</context>
<context>
    <name>fireside::Composer</name>
    <message>
        <source>Message</source>
        <translation>الرسالة</translation>
    </message>
    <message>
        <source>Attach text files</source>
        <translation>إرفاق ملفات نصية</translation>
    </message>
    <message>
        <source>Stop the reply (Esc)</source>
        <translation>إيقاف الرد (Esc)</translation>
    </message>
    <message>
        <source>Stop the reply</source>
        <translation>إيقاف الرد</translation>
    </message>
    <message>
        <source>Enter sends this after the reply</source>
        <translation>يرسل مفتاح الإدخال هذه بعد الرد</translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation>إرسال (إدخال)</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>إرسال</translation>
    </message>
    <message>
        <source>%1 tokens, %2 at most fit</source>
        <translation>الرموز: %1، ويتسع لـ %2 على الأكثر</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>الرموز: %1</translation>
    </message>
    <message>
        <source>%1 files at most can be attached at once.</source>
        <translation>يمكن إرفاق %1 من الملفات معًا على الأكثر.</translation>
    </message>
</context>
<context>
    <name>fireside::ConnectionModel</name>
    <message>
        <source>runs</source>
        <translation>جارٍ</translation>
    </message>
    <message>
        <source>allowed</source>
        <translation>مسموح</translation>
    </message>
    <message>
        <source>allowed: %1</source>
        <translation>مسموح: %1</translation>
    </message>
    <message>
        <source>When</source>
        <translation>متى</translation>
    </message>
    <message>
        <source>With</source>
        <translation>مع</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>لماذا</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>المستلم</translation>
    </message>
    <message>
        <source>Allowed?</source>
        <translation>مسموح؟</translation>
    </message>
</context>
<context>
    <name>fireside::Connections</name>
    <message>
        <source>handed over</source>
        <translation>سُلّم</translation>
    </message>
    <message>
        <source>refused: Fireside is offline</source>
        <translation>مرفوض: Fireside غير متصل</translation>
    </message>
    <message>
        <source>the program ended</source>
        <translation>انتهى البرنامج</translation>
    </message>
</context>
<context>
    <name>fireside::ContextQuestion</name>
    <message>
        <source>&amp;Always in this chat</source>
        <translation>&amp;دائمًا في هذه المحادثة</translation>
    </message>
    <message>
        <source>&amp;Summarise the oldest</source>
        <translation>&amp;تلخيص الأقدم</translation>
    </message>
    <message>
        <source>The model writes a summary, which stands in the chat and takes their place</source>
        <translation>يكتب النموذج ملخصًا يوضع في المحادثة ويحل محلها</translation>
    </message>
    <message>
        <source>&amp;Leave out the oldest</source>
        <translation>&amp;ترك الأقدم</translation>
    </message>
    <message>
        <source>They stay in the chat; a line shows where the model&apos;s view begins</source>
        <translation>تبقى في المحادثة؛ ويبين خط أين تبدأ رؤية النموذج</translation>
    </message>
    <message>
        <source>&amp;Edit the message</source>
        <translation>&amp;تعديل الرسالة</translation>
    </message>
    <message>
        <source>Nothing is sent until the message is changed</source>
        <translation>لا يُرسل شيء حتى تُغيَّر الرسالة</translation>
    </message>
    <message>
        <source>The chat has outgrown the model&apos;s context: it has %1 tokens, and there is room for %2. What shall become of the oldest messages?</source>
        <translation>تجاوزت المحادثة سياق النموذج: رموزها %1 والمكان يتسع لـ %2. ماذا يُفعل بأقدم الرسائل؟</translation>
    </message>
    <message>
        <source>&amp;Reload with a larger context</source>
        <translation>إعادة التحميل &amp;بسياق أكبر</translation>
    </message>
    <message>
        <source>The model is loaded again with more room, and then answers</source>
        <translation>يُحمَّل النموذج من جديد بمكان أوسع ثم يجيب</translation>
    </message>
    <message>
        <source>This message is too long for the model&apos;s context: with what must precede it it has %1 tokens, and there is room for %2.</source>
        <translation>هذه الرسالة أطول من سياق النموذج: رموزها مع ما يجب أن يسبقها %1 والمكان يتسع لـ %2.</translation>
    </message>
</context>
<context>
    <name>fireside::ConversationDelegate</name>
    <message>
        <source>Name of the conversation</source>
        <translation>اسم المحادثة</translation>
    </message>
</context>
<context>
    <name>fireside::ConversationList</name>
    <message>
        <source>New chat</source>
        <translation>محادثة جديدة</translation>
    </message>
    <message>
        <source>New chat (Ctrl+N)</source>
        <translation>محادثة جديدة (Ctrl+N)</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>البحث في كل المحادثات</translation>
    </message>
    <message>
        <source>Search all conversations</source>
        <translation>البحث في كل المحادثات</translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation>مسح البحث</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>المحادثات</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>تراجع</translation>
    </message>
    <message>
        <source>Undo the deletion</source>
        <translation>التراجع عن الحذف</translation>
    </message>
    <message>
        <source>Your conversations will be listed here.</source>
        <translation>ستُعرض محادثاتك هنا.</translation>
    </message>
    <message>
        <source>Nothing found for “%1”.</source>
        <translation>لم يُعثر على «%1».</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>محادثة جديدة</translation>
    </message>
    <message>
        <source>Deleted “%1”</source>
        <translation>حُذفت «%1»</translation>
    </message>
    <message>
        <source>Deleted %1 chats</source>
        <translation>حُذفت المحادثات (%1)</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>إلغاء التثبيت</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>تثبيت</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>تغيير الاسم</translation>
    </message>
    <message>
        <source>Let the model name it</source>
        <translation>ليسمِّها النموذج</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>تكرار</translation>
    </message>
    <message>
        <source>Delete %1 chats</source>
        <translation>حذف المحادثات (%1)</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>حذف</translation>
    </message>
    <message>
        <source>Move to folder</source>
        <translation>نقل إلى مجلد</translation>
    </message>
    <message>
        <source>New folder…</source>
        <translation>مجلد جديد…</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>مجلد جديد</translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>بلا مجلد</translation>
    </message>
    <message>
        <source>Rename the folder…</source>
        <translation>تغيير اسم المجلد…</translation>
    </message>
    <message>
        <source>Rename the folder</source>
        <translation>تغيير اسم المجلد</translation>
    </message>
    <message>
        <source>Dissolve the folder</source>
        <translation>حلّ المجلد</translation>
    </message>
    <message>
        <source>Name of the folder:</source>
        <translation>اسم المجلد:</translation>
    </message>
</context>
<context>
    <name>fireside::ConversationModel</name>
    <message>
        <source>Folder %1, closed, chats: %2</source>
        <translation>المجلد %1، مغلق، المحادثات: %2</translation>
    </message>
    <message>
        <source>Folder %1, chats: %2</source>
        <translation>المجلد %1، المحادثات: %2</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>محادثة جديدة</translation>
    </message>
    <message>
        <source>%1, pinned</source>
        <translation>%1، مثبتة</translation>
    </message>
    <message>
        <source>%1 · pinned above: %2</source>
        <translation>%1 · مثبتة في الأعلى: %2</translation>
    </message>
    <message>
        <source>%1, a message waits to be sent</source>
        <translation>%1، رسالة تنتظر إرسالها</translation>
    </message>
    <message>
        <source>A message is sent here when the reply has ended</source>
        <translation>تُرسل رسالة هنا عندما ينتهي الرد</translation>
    </message>
</context>
<context>
    <name>fireside::ConversationStore</name>
    <message>
        <source>Chats cannot be stored on disk at the moment (%1). They are kept in memory, and storing them is tried again every few seconds.</source>
        <translation>لا يمكن حفظ المحادثات على القرص حاليًا (%1). تبقى في الذاكرة، ويُعاد محاولة حفظها كل بضع ثوانٍ.</translation>
    </message>
    <message>
        <source>the tables in the file are not as this program made them</source>
        <translation>الجداول في الملف ليست كما صنعها هذا البرنامج</translation>
    </message>
    <message>
        <source>the file is damaged and cannot be renamed</source>
        <translation>الملف تالف ولا يمكن تغيير اسمه</translation>
    </message>
    <message>
        <source>The conversation database was damaged. %1 messages were recovered; the damaged file was kept as %2.</source>
        <translation>كانت قاعدة بيانات المحادثات تالفة. استُعيدت الرسائل (%1)؛ وحُفظ الملف التالف باسم %2.</translation>
    </message>
    <message>
        <source>the folder cannot be made</source>
        <translation>لا يمكن إنشاء المجلد</translation>
    </message>
    <message>
        <source>a newer version of the program is using it</source>
        <translation>يستعملها إصدار أحدث من البرنامج</translation>
    </message>
    <message>
        <source>the folder %1 cannot be made</source>
        <translation>لا يمكن إنشاء المجلد %1</translation>
    </message>
    <message>
        <source>The conversations in %1 were stored by a newer version of the program and are left alone; this version keeps its own in %2.</source>
        <translation>المحادثات في %1 حفظها إصدار أحدث من البرنامج وتُترك كما هي؛ يحفظ هذا الإصدار محادثاته في %2.</translation>
    </message>
    <message>
        <source>all databases belong to a newer version</source>
        <translation>كل قواعد البيانات تخص إصدارًا أحدث</translation>
    </message>
</context>
<context>
    <name>fireside::DeviceDetailsDialog</name>
    <message>
        <source>Devices</source>
        <translation>الأجهزة</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>نسخ التقرير</translation>
    </message>
    <message>
        <source>Copies everything on these pages as plain text, for a bug report</source>
        <translation>ينسخ كل ما في هذه الصفحات نصًا عاديًا، لبلاغ عن خلل</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>نُسخ</translation>
    </message>
    <message>
        <source>available</source>
        <translation>متاح</translation>
    </message>
    <message>
        <source>not available</source>
        <translation>غير متاح</translation>
    </message>
    <message>
        <source>Looking at this computer&apos;s processors…</source>
        <translation>يجري فحص معالجات هذا الحاسوب…</translation>
    </message>
</context>
<context>
    <name>fireside::DeviceList</name>
    <message>
        <source>%1 GB</source>
        <translation>%1 غيغابايت</translation>
    </message>
    <message>
        <source>%1 (not found)</source>
        <translation>%1 (لم يُعثر عليه)</translation>
    </message>
    <message>
        <source>%1, at most %2</source>
        <translation>%1، على الأكثر %2</translation>
    </message>
    <message>
        <source>%1, %2 stay free</source>
        <translation>%1، يبقى %2 متاحًا</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> غيغابايت</translation>
    </message>
    <message>
        <source>Devices to use</source>
        <translation>الأجهزة المستعملة</translation>
    </message>
    <message>
        <source>Space ticks a device; Alt with the up and down keys moves it.</source>
        <translation>مفتاح المسافة يؤشر الجهاز؛ وAlt مع سهمي الأعلى والأسفل ينقله.</translation>
    </message>
    <message>
        <source>Earlier (Alt+Up)</source>
        <translation>أبكر (Alt+أعلى)</translation>
    </message>
    <message>
        <source>Later (Alt+Down)</source>
        <translation>أبعد (Alt+أسفل)</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>بلا حد</translation>
    </message>
    <message>
        <source>Limit of the chosen device</source>
        <translation>حد الجهاز المختار</translation>
    </message>
    <message>
        <source>What Fireside may take of its memory at most</source>
        <translation>أكثر ما يجوز أن يأخذه Fireside من ذاكرته</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>لا شيء</translation>
    </message>
    <message>
        <source>Reserve of the chosen device</source>
        <translation>احتياطي الجهاز المختار</translation>
    </message>
    <message>
        <source>What stays free of its memory for other programs</source>
        <translation>ما يبقى من ذاكرته للبرامج الأخرى</translation>
    </message>
    <message>
        <source>Takes at most:</source>
        <translation>يأخذ على الأكثر:</translation>
    </message>
    <message>
        <source>Leaves free:</source>
        <translation>يترك متاحًا:</translation>
    </message>
    <message>
        <source>Memory of %1:</source>
        <translation>ذاكرة %1:</translation>
    </message>
</context>
<context>
    <name>fireside::DevicePage</name>
    <message>
        <source>available</source>
        <translation>متاح</translation>
    </message>
    <message>
        <source>not available</source>
        <translation>غير متاح</translation>
    </message>
    <message>
        <source>Checks, in order</source>
        <translation>الفحوص بالترتيب</translation>
    </message>
    <message>
        <source>%1 – not reached</source>
        <translation>%1 – لم يُبلغ</translation>
    </message>
    <message>
        <source>Error text: %1</source>
        <translation>نص الخطأ: %1</translation>
    </message>
    <message>
        <source>What to do: %1</source>
        <translation>ما العمل: %1</translation>
    </message>
    <message>
        <source>Properties</source>
        <translation>الخصائص</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>الذاكرة</translation>
    </message>
</context>
<context>
    <name>fireside::DeviceReportText</name>
    <message>
        <source>passed</source>
        <translation>نجح</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>فشل</translation>
    </message>
    <message>
        <source>not reached</source>
        <translation>لم يُبلغ</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>مجهول</translation>
    </message>
    <message>
        <source>%1, free part unknown</source>
        <translation>%1، والجزء المتاح مجهول</translation>
    </message>
    <message>
        <source>%1 free, total unknown</source>
        <translation>%1 متاح، والكل مجهول</translation>
    </message>
    <message>
        <source>%1, %2 of it free</source>
        <translation>%1، منها %2 متاح</translation>
    </message>
</context>
<context>
    <name>fireside::Download</name>
    <message>
        <source>what came is no GGUF file</source>
        <translation>ما وصل ليس ملف GGUF</translation>
    </message>
    <message>
        <source>it was stopped</source>
        <translation>أُوقف</translation>
    </message>
    <message>
        <source>its content is not what it should be: its %1 is %2 instead of %3</source>
        <translation>محتواه ليس كما ينبغي: %1 هو %2 بدلًا من %3</translation>
    </message>
    <message>
        <source>a link has its name</source>
        <translation>اسمه يحمله رابط</translation>
    </message>
    <message>
        <source>another file has its name</source>
        <translation>اسمه يحمله ملف آخر</translation>
    </message>
    <message>
        <source>download of %1</source>
        <translation>تنزيل %1</translation>
    </message>
    <message>
        <source>the server packs it (%1) though that is not wanted</source>
        <translation>يضغطه الخادم (%1) مع أن ذلك غير مطلوب</translation>
    </message>
    <message>
        <source>it is another file on the server by now</source>
        <translation>صار على الخادم ملفًا آخر</translation>
    </message>
    <message>
        <source>the server sends a part where all was asked for</source>
        <translation>يرسل الخادم جزءًا وقد طُلب الكل</translation>
    </message>
    <message>
        <source>the server sends other parts than it is asked for, so the file comes in one piece</source>
        <translation>يرسل الخادم أجزاء غير المطلوبة، لذا يأتي الملف قطعة واحدة</translation>
    </message>
    <message>
        <source>the file changed on the server; it is begun anew</source>
        <translation>تغير الملف على الخادم؛ يُبدأ من جديد</translation>
    </message>
    <message>
        <source>it has %1 bytes on the server instead of %2</source>
        <translation>حجمه على الخادم %1 بايت بدلًا من %2</translation>
    </message>
    <message>
        <source>the server cannot send parts, so the file comes in one piece</source>
        <translation>لا يستطيع الخادم إرسال أجزاء، لذا يأتي الملف قطعة واحدة</translation>
    </message>
    <message>
        <source>the server says that it is empty</source>
        <translation>يقول الخادم إنه فارغ</translation>
    </message>
    <message>
        <source>the server sends more than it said</source>
        <translation>يرسل الخادم أكثر مما قال</translation>
    </message>
    <message>
        <source>the server sends less than it said</source>
        <translation>يرسل الخادم أقل مما قال</translation>
    </message>
    <message>
        <source>the server does not say how long it is, so nobody can tell whether it is whole</source>
        <translation>لا يقول الخادم كم طوله، فلا يُعرف هل هو كامل</translation>
    </message>
    <message>
        <source>the file keeps changing on the server</source>
        <translation>يتغير الملف على الخادم باستمرار</translation>
    </message>
    <message>
        <source>%1; it may be asked again in %2 minutes</source>
        <translation>%1؛ يمكن السؤال ثانية بعد %2 دقيقة</translation>
    </message>
    <message>
        <source>%1; trying again</source>
        <translation>%1؛ تُعاد المحاولة</translation>
    </message>
    <message>
        <source>the disk is too full: %1 are missing, %2 are free, and %3 are to stay free</source>
        <translation>القرص ممتلئ: ينقص %1، والمتاح %2، وينبغي أن يبقى %3 متاحًا</translation>
    </message>
    <message>
        <source>%1; it was thrown away</source>
        <translation>%1؛ أُهمل</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>القرص ممتلئ</translation>
    </message>
    <message>
        <source>files of this size cannot be written there</source>
        <translation>لا يمكن كتابة ملفات بهذا الحجم هناك</translation>
    </message>
    <message>
        <source>another file has its name by now</source>
        <translation>صار ملف آخر يحمل اسمه</translation>
    </message>
    <message>
        <source>the folder %1 cannot be made</source>
        <translation>لا يمكن إنشاء المجلد %1</translation>
    </message>
    <message>
        <source>another program is downloading it already</source>
        <translation>برنامج آخر ينزّله الآن</translation>
    </message>
    <message>
        <source>there is nothing to download</source>
        <translation>لا شيء لتنزيله</translation>
    </message>
    <message>
        <source>“%1” is no name that a file may have here</source>
        <translation>«%1» ليس اسمًا يجوز لملف هنا</translation>
    </message>
    <message>
        <source>two files are called “%1”</source>
        <translation>ملفان باسم «%1»</translation>
    </message>
    <message>
        <source>“%1” is a file and a folder</source>
        <translation>«%1» ملف ومجلد معًا</translation>
    </message>
    <message>
        <source>this is no address of the form https://…</source>
        <translation>ليس هذا عنوانًا بالشكل https://…</translation>
    </message>
    <message>
        <source>this is no access token</source>
        <translation>ليس هذا رمز وصول</translation>
    </message>
    <message>
        <source>%1 of its %2 parts are missing in the repository</source>
        <translation>ينقص في المستودع %1 من أجزائه %2</translation>
    </message>
    <message>
        <source>this is no address</source>
        <translation>ليس هذا عنوانًا</translation>
    </message>
    <message>
        <source>addresses with a user&apos;s name or password are not used</source>
        <translation>لا تُستعمل عناوين فيها اسم مستخدم أو كلمة مرور</translation>
    </message>
    <message>
        <source>the address does not end in the name of a .gguf file</source>
        <translation>لا ينتهي العنوان باسم ملف ‎.gguf</translation>
    </message>
    <message>
        <source>only https and http addresses can be used</source>
        <translation>لا يمكن استعمال غير عناوين https وhttp</translation>
    </message>
</context>
<context>
    <name>fireside::DownloadList</name>
    <message>
        <source>it is in the list of downloads already</source>
        <translation>هو في قائمة التنزيلات بالفعل</translation>
    </message>
    <message>
        <source>it is there already</source>
        <translation>هو موجود بالفعل</translation>
    </message>
    <message>
        <source>it goes on when Fireside is online again</source>
        <translation>يستمر حين يعود Fireside متصلًا</translation>
    </message>
</context>
<context>
    <name>fireside::DownloadRow</name>
    <message>
        <source>&amp;Load</source>
        <translation>&amp;تحميل</translation>
    </message>
    <message>
        <source>&amp;Try again</source>
        <translation>&amp;إعادة المحاولة</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>&amp;استئناف</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;إيقاف مؤقت</translation>
    </message>
    <message>
        <source>Progress of %1</source>
        <translation>تقدم %1</translation>
    </message>
    <message>
        <source>Re&amp;move from the list</source>
        <translation>&amp;إزالة من القائمة</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>&amp;إلغاء</translation>
    </message>
</context>
<context>
    <name>fireside::DownloadsView</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 من %2</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/ث</translation>
    </message>
    <message>
        <source>%1 s left</source>
        <translation>بقي %1 ث</translation>
    </message>
    <message>
        <source>%1 min left</source>
        <translation>بقي %1 د</translation>
    </message>
    <message>
        <source>%1 h %2 min left</source>
        <translation>بقي %1 س %2 د</translation>
    </message>
    <message>
        <source>%1 d %2 h left</source>
        <translation>بقي %1 ي %2 س</translation>
    </message>
    <message>
        <source>Waits for other downloads</source>
        <translation>ينتظر تنزيلات أخرى</translation>
    </message>
    <message>
        <source>%1 · Checking the content…</source>
        <translation>%1 · يُفحص المحتوى…</translation>
    </message>
    <message>
        <source>Paused at %1</source>
        <translation>متوقف عند %1</translation>
    </message>
    <message>
        <source>Failed: %1</source>
        <translation>فشل: %1</translation>
    </message>
    <message>
        <source>Done: %1</source>
        <translation>اكتمل: %1</translation>
    </message>
    <message>
        <source>The server names no checksum: only that it is complete can be checked.</source>
        <translation>لا يذكر الخادم بصمة: لا يمكن فحص غير الاكتمال.</translation>
    </message>
    <message>
        <source>Of some files the server names no checksum.</source>
        <translation>لا يذكر الخادم بصمة لبعض الملفات.</translation>
    </message>
    <message>
        <source>The content is checked with SHA-256.</source>
        <translation>يُفحص المحتوى بـ SHA-256.</translation>
    </message>
    <message>
        <source>File %1 of %2: %3.</source>
        <translation>الملف %1 من %2: %3.</translation>
    </message>
    <message>
        <source>Folder: %1</source>
        <translation>المجلد: %1</translation>
    </message>
    <message>
        <source>Nothing is being downloaded. “Get models” has models to choose from.</source>
        <translation>لا يُنزَّل شيء. في «الحصول على نماذج» نماذج تختار منها.</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>التنزيلات</translation>
    </message>
    <message>
        <source>Remove those that are &amp;done</source>
        <translation>إزالة &amp;المكتملة</translation>
    </message>
    <message>
        <source>The models stay where they are</source>
        <translation>تبقى النماذج حيث هي</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>إغلاق</translation>
    </message>
    <message>
        <source>This list cannot be remembered: %1</source>
        <translation>لا يمكن تذكر هذه القائمة: %1</translation>
    </message>
    <message>
        <source>Cancel the download</source>
        <translation>إلغاء التنزيل</translation>
    </message>
    <message>
        <source>Cancel the download of “%1”?</source>
        <translation>إلغاء تنزيل «%1»؟</translation>
    </message>
    <message>
        <source>%1 of it are here, and are deleted. “Pause” keeps them.</source>
        <translation>وصل منه %1 ويُحذف. «إيقاف مؤقت» يحتفظ به.</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>متابعة</translation>
    </message>
</context>
<context>
    <name>fireside::EngineService</name>
    <message numerus="yes">
        <source>Unloaded after %n minutes without use; comes back with the next message</source>
        <translation>
            <numerusform>أُلغي تحميله فورًا لعدم الاستعمال؛ يعود مع الرسالة التالية</numerusform>
            <numerusform>أُلغي تحميله بعد دقيقة بلا استعمال؛ يعود مع الرسالة التالية</numerusform>
            <numerusform>أُلغي تحميله بعد دقيقتين بلا استعمال؛ يعود مع الرسالة التالية</numerusform>
            <numerusform>أُلغي تحميله بعد %n دقائق بلا استعمال؛ يعود مع الرسالة التالية</numerusform>
            <numerusform>أُلغي تحميله بعد %n دقيقة بلا استعمال؛ يعود مع الرسالة التالية</numerusform>
            <numerusform>أُلغي تحميله بعد %n دقيقة بلا استعمال؛ يعود مع الرسالة التالية</numerusform>
        </translation>
    </message>
    <message>
        <source>Unloaded as you asked; comes back with the next message</source>
        <translation>أُلغي تحميله كما طلبت؛ يعود مع الرسالة التالية</translation>
    </message>
    <message>
        <source>not in memory</source>
        <translation>ليس في الذاكرة</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>أُلغي</translation>
    </message>
    <message>
        <source>the engine is busy</source>
        <translation>المحرك مشغول</translation>
    </message>
    <message>
        <source>another reply is still being written</source>
        <translation>لا يزال رد آخر يُكتب</translation>
    </message>
    <message>
        <source>the model is still being loaded</source>
        <translation>لا يزال النموذج يُحمَّل</translation>
    </message>
    <message>
        <source>no model is loaded</source>
        <translation>لم يُحمَّل أي نموذج</translation>
    </message>
    <message>
        <source>a server&apos;s model is in use; load this one first</source>
        <translation>نموذج خادم قيد الاستعمال؛ حمّل هذا أولًا</translation>
    </message>
    <message>
        <source>only models of this computer can tell</source>
        <translation>لا يستطيع قول ذلك غير نماذج هذا الحاسوب</translation>
    </message>
    <message>
        <source>Not reached: %1. Until it is, this computer answers</source>
        <translation>لم يمكن الوصول: %1. إلى أن يمكن، يجيب هذا الحاسوب</translation>
    </message>
    <message>
        <source>%1. A model of this computer is loaded to answer…</source>
        <translation>%1. يُحمَّل نموذج من هذا الحاسوب ليجيب…</translation>
    </message>
    <message>
        <source>Answered by %1 on this computer, because %2</source>
        <translation>أجاب %1 على هذا الحاسوب لأن %2</translation>
    </message>
    <message>
        <source>%1; the model of this computer cannot answer either: %2</source>
        <translation>%1؛ ولا يستطيع نموذج هذا الحاسوب أن يجيب أيضًا: %2</translation>
    </message>
    <message>
        <source>Not reached: %1. The last answer came from %2 on this computer</source>
        <translation>لم يمكن الوصول: %1. جاء آخر جواب من %2 على هذا الحاسوب</translation>
    </message>
    <message>
        <source>Unloaded because the computer goes to sleep; comes back with the next message</source>
        <translation>أُلغي تحميله لأن الحاسوب يدخل في السكون؛ يعود مع الرسالة التالية</translation>
    </message>
    <message>
        <source>Unloaded after a minute without use; comes back with the next message</source>
        <translation>أُلغي تحميله بعد دقيقة بلا استعمال؛ يعود مع الرسالة التالية</translation>
    </message>
    <message>
        <source>Unloaded because its file could not be read; the next message loads it again</source>
        <translation>أُفرغ لأن ملفه تعذّرت قراءته؛ تحمّله الرسالة التالية من جديد</translation>
    </message>
</context>
<context>
    <name>fireside::EngineWorker</name>
    <message>
        <source>%1; close other programs or choose a smaller model or context</source>
        <translation>%1؛ أغلق برامج أخرى أو اختر نموذجًا أو سياقًا أصغر</translation>
    </message>
    <message>
        <source>measuring on %1</source>
        <translation>القياس على %1</translation>
    </message>
    <message>
        <source>no model is loaded</source>
        <translation>لم يُحمَّل أي نموذج</translation>
    </message>
    <message>
        <source>the device failed</source>
        <translation>تعطل الجهاز</translation>
    </message>
    <message>
        <source>the model could not be loaded again</source>
        <translation>تعذر تحميل النموذج ثانية</translation>
    </message>
    <message>
        <source>the model could not be loaded</source>
        <translation>تعذر تحميل النموذج</translation>
    </message>
    <message>
        <source>the window&apos;s model runs elsewhere</source>
        <translation>نموذج النافذة يعمل في مكان آخر</translation>
    </message>
</context>
<context>
    <name>fireside::FindBar</name>
    <message>
        <source>Find in this chat</source>
        <translation>البحث في هذه المحادثة</translation>
    </message>
    <message>
        <source>Text to find in this chat</source>
        <translation>النص المطلوب في هذه المحادثة</translation>
    </message>
    <message>
        <source>Previous place (Shift+F3)</source>
        <translation>الموضع السابق (Shift+F3)</translation>
    </message>
    <message>
        <source>Next place (F3)</source>
        <translation>الموضع التالي (F3)</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>إغلاق (Esc)</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>لم يُعثر عليه</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 من %2</translation>
    </message>
</context>
<context>
    <name>fireside::FolderTools</name>
    <message>
        <source>the chosen folder is not there</source>
        <translation>المجلد المختار غير موجود</translation>
    </message>
    <message>
        <source>there is no such file</source>
        <translation>لا يوجد ملف كهذا</translation>
    </message>
    <message>
        <source>there is no “%1”</source>
        <translation>لا يوجد «%1»</translation>
    </message>
    <message>
        <source>“%1” is outside of the chosen folder</source>
        <translation>«%1» خارج المجلد المختار</translation>
    </message>
    <message>
        <source>“%1” cannot be read</source>
        <translation>لا يمكن قراءة «%1»</translation>
    </message>
    <message>
        <source>“%1” is no ordinary file</source>
        <translation>«%1» ليس ملفًا عاديًا</translation>
    </message>
    <message>
        <source>“%1” is no folder</source>
        <translation>«%1» ليس مجلدًا</translation>
    </message>
    <message>
        <source>%1 (leads out of the folder)</source>
        <translation>%1 (يقود إلى خارج المجلد)</translation>
    </message>
    <message>
        <source>%1 (%2 bytes)</source>
        <translation>%1 (%2 بايت)</translation>
    </message>
    <message>
        <source>… and %1 more</source>
        <translation>… و%1 أخرى</translation>
    </message>
    <message>
        <source>The folder is empty.</source>
        <translation>المجلد فارغ.</translation>
    </message>
    <message>
        <source>“%1” is a folder; it can be listed</source>
        <translation>«%1» مجلد؛ يمكن سرده</translation>
    </message>
    <message>
        <source>“%1” is no text (%2 bytes)</source>
        <translation>«%1» ليس نصًا (%2 بايت)</translation>
    </message>
    <message>
        <source>the file has only %1 bytes</source>
        <translation>في الملف %1 بايت فقط</translation>
    </message>
    <message>
        <source>
[Bytes %1 to %2 of %3; read on with offset %2.]</source>
        <translation>
[البايتات %1 إلى %2 من %3؛ تابع القراءة بـ offset %2.]</translation>
    </message>
    <message>
        <source>it is not said what to search for</source>
        <translation>لم يُذكر عمّ يُبحث</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>أُوقف</translation>
    </message>
    <message>
        <source>[The first %1 places; there may be more.]</source>
        <translation>[أول %1 مواضع؛ وقد يوجد أكثر.]</translation>
    </message>
    <message>
        <source>[Some files or folders were too large or too many to be searched.]</source>
        <translation>[بعض الملفات أو المجلدات أكبر أو أكثر من أن يُبحث فيها.]</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>لم يُعثر على شيء.</translation>
    </message>
</context>
<context>
    <name>fireside::GenerationPage</name>
    <message>
        <source>&amp;Reset to defaults</source>
        <translation>&amp;إعادة إلى القيم الافتراضية</translation>
    </message>
    <message>
        <source>Undo &amp;reset</source>
        <translation>&amp;التراجع عن الإعادة</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>محادثات</translation>
    </message>
</context>
<context>
    <name>fireside::GetModels</name>
    <message>
        <source>%1 parameters</source>
        <translation>المعاملات %1</translation>
    </message>
    <message>
        <source>trained for %1 tokens</source>
        <translation>دُرّب على %1 من الرموز</translation>
    </message>
    <message>
        <source>Asking %1…</source>
        <translation>يُسأل %1…</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>لم يُعثر على شيء.</translation>
    </message>
    <message>
        <source>Nothing was found. “Not only GGUF” searches models in other formats, too.</source>
        <translation>لم يُعثر على شيء. «ليس GGUF فقط» يبحث عن نماذج بصيغ أخرى أيضًا.</translation>
    </message>
    <message>
        <source>Repositories that were found: %1, the most downloaded first.</source>
        <translation>المستودعات التي عُثر عليها: %1، والأكثر تنزيلًا أولًا.</translation>
    </message>
    <message>
        <source>Asking for the files of %1…</source>
        <translation>يُسأل عن ملفات %1…</translation>
    </message>
    <message>
        <source>%1 holds no model that Fireside reads: no GGUF files, and no folder of safetensors with its config.json.</source>
        <translation>ليس في %1 نموذج يقرؤه Fireside: لا ملفات GGUF ولا مجلد safetensors مع config.json.</translation>
    </message>
    <message>
        <source>%1 has no single model “%2”.</source>
        <translation>ليس في %1 نموذج واحد «%2».</translation>
    </message>
    <message>
        <source>%1: models: %2, the smallest first.</source>
        <translation>%1: النماذج: %2، والأصغر أولًا.</translation>
    </message>
    <message>
        <source>A file of %1.</source>
        <translation>ملف من %1.</translation>
    </message>
    <message>
        <source>no licence named</source>
        <translation>لم تُذكر رخصة</translation>
    </message>
    <message>
        <source>licence: %1</source>
        <translation>الرخصة: %1</translation>
    </message>
    <message>
        <source>Its authors want their terms to be accepted first, on its page, and an access token of the account that did so.</source>
        <translation>يريد أصحابه قبول شروطهم أولًا في صفحته، ورمز وصول من الحساب الذي قبلها.</translation>
    </message>
    <message>
        <source>Its header is being read, to know exactly…</source>
        <translation>تُقرأ ترويسته ليُعرف ذلك بدقة…</translation>
    </message>
    <message>
        <source>Its header could not be read: %1.</source>
        <translation>تعذرت قراءة ترويسته: %1.</translation>
    </message>
    <message>
        <source>Also its part for &amp;pictures (mmproj, %1); Fireside does not use it yet</source>
        <translation>وأيضًا جزؤه &amp;للصور (mmproj، %1)؛ لا يستعمله Fireside بعد</translation>
    </message>
    <message>
        <source>&amp;Download</source>
        <translation>&amp;تنزيل</translation>
    </message>
    <message>
        <source>It goes into %1.</source>
        <translation>يوضع في %1.</translation>
    </message>
    <message>
        <source>%1 are free there.</source>
        <translation>المتاح هناك %1.</translation>
    </message>
    <message>
        <source>It is on this computer, in %1.</source>
        <translation>هو على هذا الحاسوب في %1.</translation>
    </message>
    <message>
        <source>&amp;Load</source>
        <translation>&amp;تحميل</translation>
    </message>
    <message>
        <source>In the list of downloads: %1</source>
        <translation>في قائمة التنزيلات: %1</translation>
    </message>
    <message>
        <source>Show the &amp;download</source>
        <translation>إظهار &amp;التنزيل</translation>
    </message>
    <message>
        <source>Write what you look for and press Enter, or paste the address of a repository or of a .gguf file. Nothing is asked before.</source>
        <translation>اكتب ما تبحث عنه واضغط مفتاح الإدخال، أو الصق عنوان مستودع أو ملف ‎.gguf. لا يُسأل شيء قبل ذلك.</translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation>مسح البحث</translation>
    </message>
    <message>
        <source>Search Hugging Face, or paste an address</source>
        <translation>البحث في Hugging Face أو لصق عنوان</translation>
    </message>
    <message>
        <source>Search for models</source>
        <translation>البحث عن نماذج</translation>
    </message>
    <message>
        <source>&amp;Not only GGUF</source>
        <translation>ليس &amp;GGUF فقط</translation>
    </message>
    <message>
        <source>Also models in the safetensors format, which are larger</source>
        <translation>وأيضًا نماذج بصيغة safetensors، وهي أكبر</translation>
    </message>
    <message>
        <source>&amp;Search</source>
        <translation>&amp;بحث</translation>
    </message>
    <message>
        <source>The server is being asked</source>
        <translation>يُسأل الخادم</translation>
    </message>
    <message>
        <source>Repositories that were found</source>
        <translation>المستودعات التي عُثر عليها</translation>
    </message>
    <message>
        <source>Models of the repository</source>
        <translation>نماذج المستودع</translation>
    </message>
    <message>
        <source>The chosen model</source>
        <translation>النموذج المختار</translation>
    </message>
    <message>
        <source>Show its &amp;page…</source>
        <translation>إظهار &amp;صفحته…</translation>
    </message>
    <message>
        <source>Access &amp;token…</source>
        <translation>رمز &amp;الوصول…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>إغلاق</translation>
    </message>
</context>
<context>
    <name>fireside::HeaderPreview</name>
    <message>
        <source>header of %1</source>
        <translation>ترويسة %1</translation>
    </message>
    <message>
        <source>the server does not send the beginning of the file</source>
        <translation>لا يرسل الخادم بداية الملف</translation>
    </message>
    <message>
        <source>the server sends less than it said</source>
        <translation>يرسل الخادم أقل مما قال</translation>
    </message>
    <message>
        <source>its headers are too long</source>
        <translation>ترويساته أطول مما ينبغي</translation>
    </message>
</context>
<context>
    <name>fireside::HttpExchange</name>
    <message>
        <source>%1 has not answered for %2 s</source>
        <translation>لم يجب %1 منذ %2 ث</translation>
    </message>
    <message>
        <source>%1 has sent nothing for %2 s</source>
        <translation>لم يرسل %1 شيئًا منذ %2 ث</translation>
    </message>
    <message>
        <source>only https and http addresses can be used</source>
        <translation>لا يمكن استعمال غير عناوين https وhttp</translation>
    </message>
    <message>
        <source>Fireside is offline</source>
        <translation>Fireside غير متصل</translation>
    </message>
    <message>
        <source>the answer of %1 does not end (%2 MB so far)</source>
        <translation>جواب %1 لا ينتهي (%2 م.ب حتى الآن)</translation>
    </message>
    <message>
        <source>%1 sends requests on to %2, where nothing is sent unasked: if that is right, enter that address</source>
        <translation>يحيل %1 الطلبات إلى %2 حيث لا يُرسل شيء دون سؤال: إن كان ذلك صحيحًا فأدخل ذلك العنوان</translation>
    </message>
    <message>
        <source>the identity of %1 cannot be trusted: %2</source>
        <translation>لا يمكن الوثوق بهوية %1: %2</translation>
    </message>
</context>
<context>
    <name>fireside::HubClient</name>
    <message>
        <source>the server&apos;s answer does not end</source>
        <translation>جواب الخادم لا ينتهي</translation>
    </message>
    <message>
        <source>the server does not answer as Hugging Face does</source>
        <translation>لا يجيب الخادم كما يجيب Hugging Face</translation>
    </message>
    <message>
        <source>search for models</source>
        <translation>البحث عن نماذج</translation>
    </message>
    <message>
        <source>“%1” is no repository&apos;s name</source>
        <translation>«%1» ليس اسم مستودع</translation>
    </message>
    <message>
        <source>files of %1</source>
        <translation>ملفات %1</translation>
    </message>
    <message>
        <source>the repository has too many files</source>
        <translation>في المستودع ملفات أكثر مما ينبغي</translation>
    </message>
</context>
<context>
    <name>fireside::InputBar</name>
    <message>
        <source>&amp;Decline</source>
        <translation>&amp;رفض</translation>
    </message>
    <message>
        <source>The server is told that you do not want to</source>
        <translation>يُخبَر الخادم بأنك لا تريد</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>&amp;إلغاء</translation>
    </message>
    <message>
        <source>The server is told that nothing was answered</source>
        <translation>يُخبَر الخادم بأنه لم يُجَب بشيء</translation>
    </message>
    <message>
        <source>The tool server “%1” wants you to open a page:</source>
        <translation>يريد خادم الأدوات «%1» منك فتح صفحة:</translation>
    </message>
    <message>
        <source>The tool server “%1” asks:</source>
        <translation>يسأل خادم الأدوات «%1»:</translation>
    </message>
    <message>
        <source>What you send goes to this server. Never enter passwords or keys here.</source>
        <translation>ما ترسله يذهب إلى هذا الخادم. لا تُدخل هنا كلمات مرور أو مفاتيح أبدًا.</translation>
    </message>
    <message>
        <source>When you are done in the browser, what was asked for is tried again.</source>
        <translation>حين تنتهي في المتصفح يُعاد ما طُلب.</translation>
    </message>
    <message>
        <source>It opens in your browser. What you do there is not seen by Fireside.</source>
        <translation>تُفتح في متصفحك. لا يرى Fireside ما تفعله هناك.</translation>
    </message>
    <message>
        <source>&amp;Send</source>
        <translation>&amp;إرسال</translation>
    </message>
    <message>
        <source>&amp;Go on</source>
        <translation>&amp;متابعة</translation>
    </message>
    <message>
        <source>&amp;Open in the browser</source>
        <translation>&amp;فتح في المتصفح</translation>
    </message>
</context>
<context>
    <name>fireside::InputForm</name>
    <message>
        <source>Choose…</source>
        <translation>اختر…</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>لا شيء</translation>
    </message>
    <message>
        <source>%1 (required)</source>
        <translation>%1 (مطلوب)</translation>
    </message>
</context>
<context>
    <name>fireside::InputTexts</name>
    <message>
        <source>at least %1 are to be chosen</source>
        <translation>يجب اختيار %1 على الأقل</translation>
    </message>
    <message>
        <source>at least %1 characters are wanted</source>
        <translation>يلزم %1 من المحارف على الأقل</translation>
    </message>
    <message>
        <source>it must be %1 at least</source>
        <translation>يجب أن يكون %1 على الأقل</translation>
    </message>
    <message>
        <source>at most %1 may be chosen</source>
        <translation>يجوز اختيار %1 على الأكثر</translation>
    </message>
    <message>
        <source>at most %1 characters fit</source>
        <translation>لا يتسع لأكثر من %1 من المحارف</translation>
    </message>
    <message>
        <source>it must be %1 at most</source>
        <translation>يجب ألا يزيد على %1</translation>
    </message>
    <message>
        <source>that is no e-mail address</source>
        <translation>ليس هذا عنوان بريد إلكتروني</translation>
    </message>
    <message>
        <source>that is no address</source>
        <translation>ليس هذا عنوانًا</translation>
    </message>
    <message>
        <source>a date is written like 2026-12-31</source>
        <translation>يُكتب التاريخ هكذا 2026-12-31</translation>
    </message>
    <message>
        <source>a time is written like 2026-12-31T18:30:00Z</source>
        <translation>يُكتب الوقت هكذا 2026-12-31T18:30:00Z</translation>
    </message>
    <message>
        <source>that is no number</source>
        <translation>ليس هذا عددًا</translation>
    </message>
    <message>
        <source>a whole number is wanted</source>
        <translation>المطلوب عدد صحيح</translation>
    </message>
    <message>
        <source>this has to be filled in</source>
        <translation>يجب ملء هذا</translation>
    </message>
    <message>
        <source>one of the choices is wanted</source>
        <translation>المطلوب أحد الخيارات</translation>
    </message>
    <message>
        <source>it does not have the form that the server wants: %1</source>
        <translation>ليس على الصيغة التي يريدها الخادم: %1</translation>
    </message>
</context>
<context>
    <name>fireside::LinkTexts</name>
    <message>
        <source>Open link</source>
        <translation>فتح رابط</translation>
    </message>
    <message>
        <source>Open this address in the browser?</source>
        <translation>فتح هذا العنوان في المتصفح؟</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>فتح</translation>
    </message>
    <message>
        <source>Fireside is offline: it does not hand addresses to the browser.</source>
        <translation>Fireside غير متصل: لا يسلّم عناوين إلى المتصفح.</translation>
    </message>
    <message>
        <source>link opened in the browser</source>
        <translation>رابط فُتح في المتصفح</translation>
    </message>
    <message>
        <source>page for a tool server opened in the browser</source>
        <translation>فُتحت صفحة لخادم أدوات في المتصفح</translation>
    </message>
</context>
<context>
    <name>fireside::LoadForm</name>
    <message>
        <source>Wher&amp;e it may run</source>
        <translation>&amp;أين يجوز أن يعمل</translation>
    </message>
    <message>
        <source>&amp;Use defaults</source>
        <translation>استعمال &amp;القيم الافتراضية</translation>
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
        <translation>نص ملصق</translation>
    </message>
    <message>
        <source>Pasted text %1</source>
        <translation>نص ملصق %1</translation>
    </message>
</context>
<context>
    <name>fireside::Main</name>
    <message>
        <source>Chat with language models that run on this computer.</source>
        <translation>محادثة نماذج لغوية تعمل على هذا الحاسوب.</translation>
    </message>
    <message>
        <source>A GGUF file to load instead of the last one used.</source>
        <translation>ملف GGUF يُحمَّل بدلًا من آخر ما استُعمل.</translation>
    </message>
    <message>
        <source>one model at most can be named</source>
        <translation>يمكن ذكر نموذج واحد على الأكثر</translation>
    </message>
    <message>
        <source>fireside: it is already running, but does not answer
</source>
        <translation>fireside: إنه يعمل بالفعل لكنه لا يجيب
</translation>
    </message>
</context>
<context>
    <name>fireside::MainWindow</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;ملف</translation>
    </message>
    <message>
        <source>&amp;New chat</source>
        <translation>محادثة &amp;جديدة</translation>
    </message>
    <message>
        <source>&amp;Models…</source>
        <translation>&amp;النماذج…</translation>
    </message>
    <message>
        <source>&amp;Unload the model</source>
        <translation>&amp;إلغاء تحميل النموذج</translation>
    </message>
    <message>
        <source>&amp;Import chats…</source>
        <translation>&amp;استيراد محادثات…</translation>
    </message>
    <message>
        <source>&amp;Export this chat…</source>
        <translation>&amp;تصدير هذه المحادثة…</translation>
    </message>
    <message>
        <source>Export &amp;all chats…</source>
        <translation>تصدير &amp;كل المحادثات…</translation>
    </message>
    <message>
        <source>&amp;Print…</source>
        <translation>&amp;طباعة…</translation>
    </message>
    <message>
        <source>&amp;Settings…</source>
        <translation>&amp;الإعدادات…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;خروج</translation>
    </message>
    <message>
        <source>&amp;Chat</source>
        <translation>&amp;محادثة</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;إيقاف</translation>
    </message>
    <message>
        <source>S&amp;kip thinking</source>
        <translation>&amp;تخطي التفكير</translation>
    </message>
    <message>
        <source>&amp;Regenerate the last reply</source>
        <translation>إعادة &amp;توليد الرد الأخير</translation>
    </message>
    <message>
        <source>C&amp;ontinue the last reply</source>
        <translation>&amp;متابعة الرد الأخير</translation>
    </message>
    <message>
        <source>&amp;Edit the last message</source>
        <translation>&amp;تعديل الرسالة الأخيرة</translation>
    </message>
    <message>
        <source>&amp;Copy the last answer</source>
        <translation>&amp;نسخ الرد الأخير</translation>
    </message>
    <message>
        <source>&amp;Find in this chat</source>
        <translation>&amp;البحث في هذه المحادثة</translation>
    </message>
    <message>
        <source>Find the &amp;next place</source>
        <translation>الموضع &amp;التالي</translation>
    </message>
    <message>
        <source>Find the &amp;previous place</source>
        <translation>الموضع &amp;السابق</translation>
    </message>
    <message>
        <source>&amp;Jump to the latest message</source>
        <translation>القفز إلى &amp;أحدث رسالة</translation>
    </message>
    <message>
        <source>C&amp;onversations</source>
        <translation>&amp;المحادثات</translation>
    </message>
    <message>
        <source>&amp;Search all chats</source>
        <translation>&amp;البحث في كل المحادثات</translation>
    </message>
    <message>
        <source>&amp;Rename</source>
        <translation>تغيير &amp;الاسم</translation>
    </message>
    <message>
        <source>Let the &amp;model name it</source>
        <translation>ليسمِّها &amp;النموذج</translation>
    </message>
    <message>
        <source>&amp;Delete this chat</source>
        <translation>&amp;حذف هذه المحادثة</translation>
    </message>
    <message>
        <source>&amp;Undo the deletion</source>
        <translation>&amp;التراجع عن الحذف</translation>
    </message>
    <message>
        <source>Show the &amp;list</source>
        <translation>إظهار &amp;القائمة</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;مساعدة</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>&amp;اختصارات لوحة المفاتيح</translation>
    </message>
    <message>
        <source>&amp;Devices and backends…</source>
        <translation>&amp;الأجهزة والمحركات…</translation>
    </message>
    <message>
        <source>&amp;About Fireside</source>
        <translation>&amp;حول Fireside</translation>
    </message>
    <message>
        <source>“%1” could not be loaded: %2</source>
        <translation>تعذر تحميل «%1»: %2</translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation>اختيار نموذج آخر</translation>
    </message>
    <message>
        <source>This chat no longer fits into the model&apos;s context: the oldest messages are left out. The line in the transcript shows where.</source>
        <translation>لم تعد هذه المحادثة تتسع في سياق النموذج: تُترك أقدم الرسائل. يبين الخط في المحادثة أين.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>الإعدادات</translation>
    </message>
    <message>
        <source>“%1” could not be deleted: %2</source>
        <translation>تعذر حذف «%1»: %2</translation>
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
        <translation>حول Fireside</translation>
    </message>
    <message>
        <source>Fireside %1</source>
        <translation>Fireside %1</translation>
    </message>
    <message>
        <source>&amp;Get models…</source>
        <translation>&amp;الحصول على نماذج…</translation>
    </message>
    <message>
        <source>&amp;Tools of this chat…</source>
        <translation>&amp;أدوات هذه المحادثة…</translation>
    </message>
    <message>
        <source>Pro&amp;mpts…</source>
        <translation>&amp;القوالب…</translation>
    </message>
    <message>
        <source>Chat with language models that run on this computer. Nothing you write leaves it, unless you choose a model of a server.

Apache License 2.0</source>
        <translation>محادثة نماذج لغوية تعمل على هذا الحاسوب. لا يغادره شيء مما تكتب إلا إذا اخترت نموذج خادم.

Apache License 2.0</translation>
    </message>
    <message>
        <source>“%1” has been downloaded.</source>
        <translation>نُزّل «%1».</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>تحميل</translation>
    </message>
    <message>
        <source>“%1” could not be downloaded: %2</source>
        <translation>تعذر تنزيل «%1»: %2</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>التنزيلات</translation>
    </message>
    <message>
        <source>&amp;First hour with Fireside</source>
        <translation>&amp;الساعة الأولى مع Fireside</translation>
    </message>
    <message>
        <source>Your first hour with Fireside</source>
        <translation>ساعتك الأولى مع Fireside</translation>
    </message>
    <message>
        <source>New &amp;window</source>
        <translation>&amp;نافذة جديدة</translation>
    </message>
    <message>
        <source>&amp;Close this window</source>
        <translation>&amp;إغلاق هذه النافذة</translation>
    </message>
    <message>
        <source>The second model</source>
        <translation>النموذج الثاني</translation>
    </message>
    <message>
        <source>Compare &amp;with a second model</source>
        <translation>&amp;مقارنة بنموذج ثانٍ</translation>
    </message>
    <message>
        <source>Settin&amp;gs of this chat…</source>
        <translation>&amp;إعدادات هذه المحادثة…</translation>
    </message>
    <message>
        <source>Write &amp;a message</source>
        <translation>&amp;كتابة رسالة</translation>
    </message>
    <message>
        <source>Dupli&amp;cate</source>
        <translation>&amp;تكرار</translation>
    </message>
    <message>
        <source>A summary stands for the oldest messages, which no longer fit into the model&apos;s context. The line in the transcript shows where.</source>
        <translation>يقوم ملخص مقام أقدم الرسائل التي لم تعد تتسع في سياق النموذج. يبين الخط في المحادثة أين.</translation>
    </message>
    <message>
        <source>Models of servers</source>
        <translation>نماذج الخوادم</translation>
    </message>
    <message>
        <source>&amp;Models of servers</source>
        <translation>&amp;نماذج الخوادم</translation>
    </message>
    <message>
        <source>Load another model</source>
        <translation>تحميل نموذج آخر</translation>
    </message>
    <message>
        <source>A reply is being generated. Loading “%1” now stops it; the text so far is kept.</source>
        <translation>يُكتب ردّ الآن. تحميل «%1» الآن يوقفه؛ ويبقى نصه.</translation>
    </message>
    <message>
        <source>Another program is using the loaded model. Loading “%1” now ends its requests.</source>
        <translation>يستخدم برنامج آخر النموذج المحمَّل. تحميل «%1» الآن ينهي طلباته.</translation>
    </message>
    <message>
        <source>If you wait, the model loads when the reply ends.</source>
        <translation>ما دام هذا السؤال مفتوحًا يُحمَّل النموذج حين ينتهي الرد.</translation>
    </message>
    <message>
        <source>Stop and load</source>
        <translation>إيقاف وتحميل</translation>
    </message>
    <message>
        <source>%1. The previous model was loaded again.</source>
        <translation>%1. يُستخدم النموذج السابق من جديد.</translation>
    </message>
</context>
<context>
    <name>fireside::McpConfigFile</name>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>لا يمكن قراءة %1: %2</translation>
    </message>
    <message>
        <source>%1 is not as it should be: an object with “mcpServers”, which names at most %2 servers</source>
        <translation>%1 ليس كما ينبغي: كائن فيه «mcpServers» يذكر %2 خوادم على الأكثر</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>لا يمكن كتابة %1: %2</translation>
    </message>
    <message>
        <source>there is a server called “%1” already</source>
        <translation>يوجد خادم باسم «%1» بالفعل</translation>
    </message>
</context>
<context>
    <name>fireside::McpProtocol</name>
    <message>
        <source>%1 bytes</source>
        <translation>%1 بايت</translation>
    </message>
    <message>
        <source>[%1: %2, %3, left out]</source>
        <translation>[%1: %2، %3، تُرك]</translation>
    </message>
    <message>
        <source>[content of an unknown kind, left out]</source>
        <translation>[محتوى من نوع مجهول، تُرك]</translation>
    </message>
    <message>
        <source>its list of tools is none</source>
        <translation>قائمة أدواته ليست قائمة</translation>
    </message>
    <message>
        <source>the tool “%1” has no usable name or schema</source>
        <translation>ليس للأداة «%1» اسم أو مخطط صالح</translation>
    </message>
    <message>
        <source>the schema of the tool “%1” is too large (%2 bytes)</source>
        <translation>مخطط الأداة «%1» أكبر مما ينبغي (%2 بايت)</translation>
    </message>
    <message>
        <source>the tool “%1” wants headers that HTTP does not allow</source>
        <translation>تريد الأداة «%1» ترويسات لا يسمح بها HTTP</translation>
    </message>
    <message>
        <source>the server asks for more input, which Fireside cannot give</source>
        <translation>يطلب الخادم مدخلات إضافية لا يستطيع Fireside إعطاءها</translation>
    </message>
    <message>
        <source>the server&apos;s answer is no result</source>
        <translation>جواب الخادم ليس نتيجة</translation>
    </message>
    <message>
        <source>[%1 more parts, left out]</source>
        <translation>[تُركت أجزاء أخرى: %1]</translation>
    </message>
</context>
<context>
    <name>fireside::McpServer</name>
    <message>
        <source>there is no network here</source>
        <translation>لا توجد شبكة هنا</translation>
    </message>
    <message>
        <source>Fireside is offline</source>
        <translation>Fireside غير متصل</translation>
    </message>
    <message>
        <source>%1. It was tried %2 times.</source>
        <translation>%1. جُرّب %2 مرات.</translation>
    </message>
    <message>
        <source>%1. It starts again after %2 s.</source>
        <translation>%1. يبدأ ثانية بعد %2 ث.</translation>
    </message>
</context>
<context>
    <name>fireside::McpServerConfig</name>
    <message>
        <source>“%1” is not an object of names and texts</source>
        <translation>«%1» ليس كائنًا من أسماء ونصوص</translation>
    </message>
    <message>
        <source>it needs either a “command” or a “url”</source>
        <translation>يلزم إما «command» أو «url»</translation>
    </message>
    <message>
        <source>“%1” is no http or https address</source>
        <translation>«%1» ليس عنوان http أو https</translation>
    </message>
    <message>
        <source>“%1” is no header</source>
        <translation>«%1» ليست ترويسة</translation>
    </message>
    <message>
        <source>“%1” is no name of a variable</source>
        <translation>«%1» ليس اسم متغير</translation>
    </message>
    <message>
        <source>its entry is not an object</source>
        <translation>مدخله ليس كائنًا</translation>
    </message>
    <message>
        <source>“args” is not a list of texts</source>
        <translation>«args» ليست قائمة نصوص</translation>
    </message>
    <message>
        <source>the variable %1 is not set</source>
        <translation>المتغير %1 غير مضبوط</translation>
    </message>
    <message>
        <source>“callbackPort” is no port</source>
        <translation>«callbackPort» ليس منفذًا</translation>
    </message>
</context>
<context>
    <name>fireside::MeasureRow</name>
    <message>
        <source>Measure &amp;places</source>
        <translation>قياس &amp;الأماكن</translation>
    </message>
    <message>
        <source>Stop measurin&amp;g</source>
        <translation>إيقاف &amp;القياس</translation>
    </message>
    <message>
        <source>Stop measuring</source>
        <translation>إيقاف القياس</translation>
    </message>
    <message>
        <source>Measuring progress</source>
        <translation>تقدم القياس</translation>
    </message>
    <message>
        <source>Measuring…</source>
        <translation>يجري القياس…</translation>
    </message>
    <message>
        <source>Measuring on %1 (%2 of %3)</source>
        <translation>القياس على %1 (%2 من %3)</translation>
    </message>
    <message>
        <source>Not while a reply is being written</source>
        <translation>ليس أثناء كتابة رد</translation>
    </message>
    <message>
        <source>Runs the model for some ten seconds in every way that there is room for. Automatic then takes the fastest.</source>
        <translation>يشغّل النموذج نحو عشر ثوانٍ بكل طريقة لها متسع. بعدها يأخذ «تلقائي» الأسرع.</translation>
    </message>
    <message>
        <source>Stopped; what was measured counts.</source>
        <translation>أُوقف؛ وما قيس يُعتد به.</translation>
    </message>
    <message>
        <source>Nothing was measured: %1</source>
        <translation>لم يُقس شيء: %1</translation>
    </message>
    <message>
        <source>Measured. From now on: %1</source>
        <translation>قيس. من الآن: %1</translation>
    </message>
    <message>
        <source>Not measured: %1</source>
        <translation>لم يُقس: %1</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>يتوقف…</translation>
    </message>
</context>
<context>
    <name>fireside::MessageEditor</name>
    <message>
        <source>Edit message</source>
        <translation>تعديل الرسالة</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>إلغاء</translation>
    </message>
    <message>
        <source>Send new version</source>
        <translation>إرسال الصيغة الجديدة</translation>
    </message>
    <message>
        <source>The old version is kept: the arrows below the message switch between them</source>
        <translation>تُحفظ الصيغة القديمة: الأسهم تحت الرسالة تنتقل بينهما</translation>
    </message>
</context>
<context>
    <name>fireside::MessageToolbar</name>
    <message>
        <source>1 token</source>
        <translation>رمز واحد</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>الرموز: %1</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 رمز/ث</translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation>نسخ الرسالة</translation>
    </message>
    <message>
        <source>Edit message</source>
        <translation>تعديل الرسالة</translation>
    </message>
    <message>
        <source>Regenerate reply</source>
        <translation>إعادة توليد الرد</translation>
    </message>
    <message>
        <source>Continue the reply where it broke off</source>
        <translation>متابعة الرد من حيث انقطع</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>متابعة</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>الصيغة السابقة</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>الصيغة التالية</translation>
    </message>
    <message>
        <source>How this reply was made</source>
        <translation>كيف كُتب هذا الرد</translation>
    </message>
    <message>
        <source>Speed and tokens of this reply</source>
        <translation>سرعة هذا الرد ورموزه</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 من %2</translation>
    </message>
</context>
<context>
    <name>fireside::ModelDetailsPane</name>
    <message>
        <source>Details of the chosen model</source>
        <translation>تفاصيل النموذج المختار</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>الحجم</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>المعاملات</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>التكميم</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>البنية</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>السياق</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>الرخصة</translation>
    </message>
    <message>
        <source>Found in</source>
        <translation>وُجد في</translation>
    </message>
    <message>
        <source>File</source>
        <translation>الملف</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>مجهول</translation>
    </message>
    <message>
        <source>trained for %1 tokens</source>
        <translation>دُرّب على %1 من الرموز</translation>
    </message>
    <message>
        <source>not named in the file</source>
        <translation>غير مذكورة في الملف</translation>
    </message>
    <message>
        <source>also in %1: %2</source>
        <translation>وأيضًا في %1: %2</translation>
    </message>
    <message>
        <source>Working out what it needs…</source>
        <translation>يُحسب ما يحتاجه…</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>الرموز: %1</translation>
    </message>
    <message>
        <source>also in %1 as %2: %3</source>
        <translation>وأيضًا في %1 باسم %2: %3</translation>
    </message>
</context>
<context>
    <name>fireside::ModelLibrary</name>
    <message>
        <source>not a file</source>
        <translation>ليس ملفًا</translation>
    </message>
    <message>
        <source>too large to be what it should be</source>
        <translation>أكبر مما ينبغي أن يكون</translation>
    </message>
    <message>
        <source>not searched: too many folders deep</source>
        <translation>لم يُبحث فيه: مجلدات عميقة جدًا</translation>
    </message>
    <message>
        <source>not searched further: too many files</source>
        <translation>لم يُبحث أكثر: ملفات كثيرة جدًا</translation>
    </message>
    <message>
        <source>embedding model: cannot chat</source>
        <translation>نموذج تضمين: لا يستطيع المحادثة</translation>
    </message>
    <message>
        <source>not a model file</source>
        <translation>ليس ملف نموذج</translation>
    </message>
    <message>
        <source>the file does not exist</source>
        <translation>الملف غير موجود</translation>
    </message>
    <message>
        <source>not enough memory to read it</source>
        <translation>لا تكفي الذاكرة لقراءته</translation>
    </message>
    <message>
        <source>%1 of %2 parts are missing: %3 …</source>
        <translation>ينقص %1 من %2 أجزاء: %3 …</translation>
    </message>
    <message>
        <source>%1 of %2 parts are missing: %3</source>
        <translation>ينقص %1 من %2 أجزاء: %3</translation>
    </message>
    <message>
        <source>Opened file</source>
        <translation>ملف مفتوح</translation>
    </message>
    <message>
        <source>it is searched now, but cannot be remembered: %1</source>
        <translation>يُبحث فيه الآن لكن لا يمكن تذكره: %1</translation>
    </message>
    <message>
        <source>its removal cannot be remembered: %1</source>
        <translation>لا يمكن تذكر إزالته: %1</translation>
    </message>
    <message>
        <source>the starter model is part of the program</source>
        <translation>النموذج الابتدائي جزء من البرنامج</translation>
    </message>
    <message>
        <source>Ollama manages this file; remove it with: ollama rm %1</source>
        <translation>يدير Ollama هذا الملف؛ أزله بالأمر: ollama rm %1</translation>
    </message>
    <message>
        <source>%1 manages this file; delete it there</source>
        <translation>يدير %1 هذا الملف؛ احذفه هناك</translation>
    </message>
    <message>
        <source>this model is a folder of files; delete the folder itself</source>
        <translation>هذا النموذج مجلد ملفات؛ احذف المجلد نفسه</translation>
    </message>
    <message>
        <source>its file is not there</source>
        <translation>ملفه غير موجود</translation>
    </message>
    <message>
        <source>only model files of the list can be deleted</source>
        <translation>لا يمكن حذف غير ملفات النماذج التي في القائمة</translation>
    </message>
    <message>
        <source>the folder does not exist</source>
        <translation>المجلد غير موجود</translation>
    </message>
    <message>
        <source>its file %1 is missing or not accessible</source>
        <translation>ملفه %1 ناقص أو لا يمكن الوصول إليه</translation>
    </message>
    <message>
        <source>its file %1 cannot be read: permission denied</source>
        <translation>لا يمكن قراءة ملفه %1: لا إذن</translation>
    </message>
    <message>
        <source>it is on a server</source>
        <translation>هو على خادم</translation>
    </message>
    <message>
        <source>its header is damaged, or too long</source>
        <translation>ترويسته تالفة أو أطول مما ينبغي</translation>
    </message>
</context>
<context>
    <name>fireside::ModelListModel</name>
    <message>
        <source>Cannot be used: %1</source>
        <translation>لا يمكن استعماله: %1</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>يتسع له</translation>
    </message>
    <message>
        <source>Too big</source>
        <translation>أكبر مما ينبغي</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>مجهول</translation>
    </message>
    <message>
        <source>%1 (loaded)</source>
        <translation>%1 (محمّل)</translation>
    </message>
    <message>
        <source>%1, %2 active</source>
        <translation>%1، النشط منها %2</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>النموذج</translation>
    </message>
    <message>
        <source>Will it fit?</source>
        <translation>هل يتسع له؟</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>الحجم</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>التكميم</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>المعاملات</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>السياق</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>البنية</translation>
    </message>
    <message>
        <source>Found in</source>
        <translation>وُجد في</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>الرخصة</translation>
    </message>
    <message>
        <source>Runs on %1</source>
        <translation>يعمل على %1</translation>
    </message>
    <message>
        <source>%1 (in use)</source>
        <translation>%1 (قيد الاستخدام)</translation>
    </message>
    <message>
        <source>Cannot be used</source>
        <translation>لا يمكن استخدامه</translation>
    </message>
    <message>
        <source>On %1</source>
        <translation>على %1</translation>
    </message>
    <message>
        <source>Fits: %1 on the CPU</source>
        <translation>يتسع: %1 على المعالج</translation>
    </message>
    <message>
        <source>Fits: %1 on the GPU</source>
        <translation>يتسع: %1 على معالج الرسوم</translation>
    </message>
    <message>
        <source>Too big: needs %1</source>
        <translation>كبير جدًا: يحتاج %1</translation>
    </message>
</context>
<context>
    <name>fireside::ModelPicker</name>
    <message>
        <source>Looking in %1 – %2 of %3 files read</source>
        <translation>البحث في %1 – قُرئ %2 من %3 ملفات</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Could not delete %1: %2</source>
        <translation>تعذر حذف %1: %2</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>البحث عن نماذج…</translation>
    </message>
    <message>
        <source>&amp;Cancel scan</source>
        <translation>&amp;إلغاء البحث</translation>
    </message>
    <message>
        <source>&amp;Rescan</source>
        <translation>إعادة &amp;البحث</translation>
    </message>
    <message>
        <source>Cannot be used (%1)</source>
        <translation>لا يمكن استعمالها (%1)</translation>
    </message>
    <message>
        <source>&lt;h3&gt;None of these models can be used&lt;/h3&gt;&lt;p&gt;Below they are shown with what is in their way.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;لا يمكن استعمال أي من هذه النماذج&lt;/h3&gt;&lt;p&gt;تُعرض أدناه مع ما يعوقها.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;h3&gt;No model matches “%1”&lt;/h3&gt;&lt;p&gt;Clear the search field to see every model.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;لا نموذج يطابق «%1»&lt;/h3&gt;&lt;p&gt;امسح حقل البحث لرؤية كل النماذج.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Looking for models…&lt;/h3&gt;&lt;p&gt;They appear here as they are found.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;البحث عن نماذج…&lt;/h3&gt;&lt;p&gt;تظهر هنا حال العثور عليها.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;h3&gt;No models found&lt;/h3&gt;&lt;p&gt;Fireside looked in the folders of Hugging Face, LM Studio, Ollama and Jan, and in:&lt;/p&gt;&lt;ul&gt;%1&lt;/ul&gt;&lt;p&gt;Put a GGUF file into one of them, open a file from anywhere, or add the folder that holds your models. Models are read where they lie; nothing is copied.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;لم يُعثر على نماذج&lt;/h3&gt;&lt;p&gt;بحث Fireside في مجلدات Hugging Face وLM Studio وOllama وJan، وفي:&lt;/p&gt;&lt;ul&gt;%1&lt;/ul&gt;&lt;p&gt;ضع ملف GGUF في أحدها، أو افتح ملفًا من أي مكان، أو أضف المجلد الذي فيه نماذجك. تُقرأ النماذج حيث هي؛ ولا يُنسخ شيء.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&amp;Load anyway…</source>
        <translation>&amp;تحميل على أي حال…</translation>
    </message>
    <message>
        <source>Re&amp;load</source>
        <translation>إعادة &amp;التحميل</translation>
    </message>
    <message>
        <source>&amp;Load</source>
        <translation>&amp;تحميل</translation>
    </message>
    <message>
        <source>&amp;Use those of every model</source>
        <translation>استعمال إعدادات &amp;كل النماذج</translation>
    </message>
    <message>
        <source>Open a model file</source>
        <translation>فتح ملف نموذج</translation>
    </message>
    <message>
        <source>Models (*.gguf config.json *.safetensors);;All files (*)</source>
        <translation>نماذج (*.gguf config.json *.safetensors);;كل الملفات (*)</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>تُقرأ %1…</translation>
    </message>
    <message>
        <source>Opened file</source>
        <translation>ملف مفتوح</translation>
    </message>
    <message>
        <source>%1 cannot be used: %2</source>
        <translation>لا يمكن استعمال %1: %2</translation>
    </message>
    <message>
        <source>Add a folder with models</source>
        <translation>إضافة مجلد فيه نماذج</translation>
    </message>
    <message>
        <source>%1
%2

This cannot be undone. Other programs that use this file lose it too.</source>
        <translation>%1
%2

لا يمكن التراجع عن هذا. البرامج الأخرى التي تستعمل هذا الملف تفقده أيضًا.</translation>
    </message>
    <message>
        <source>Delete the file of “%1” from this computer?</source>
        <translation>حذف ملف «%1» من هذا الحاسوب؟</translation>
    </message>
    <message>
        <source>Delete file</source>
        <translation>حذف الملف</translation>
    </message>
    <message>
        <source>“%1” needs more memory than there is.</source>
        <translation>يحتاج «%1» ذاكرة أكثر مما هو موجود.</translation>
    </message>
    <message>
        <source>%1

Loading it will probably fail, and the model loaded now is unloaded first.</source>
        <translation>%1

يُرجح أن يفشل تحميله، ويُلغى تحميل النموذج الحالي أولًا.</translation>
    </message>
    <message>
        <source>Load anyway</source>
        <translation>تحميل على أي حال</translation>
    </message>
    <message numerus="yes">
        <source>… and %n more</source>
        <translation>
            <numerusform>… ولا غيرها</numerusform>
            <numerusform>… وواحد آخر</numerusform>
            <numerusform>… واثنان آخران</numerusform>
            <numerusform>… و%n أخرى</numerusform>
            <numerusform>… و%n أخرى</numerusform>
            <numerusform>… و%n أخرى</numerusform>
        </translation>
    </message>
    <message>
        <source>Models</source>
        <translation>النماذج</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>المشكلات</translation>
    </message>
    <message>
        <source>Clear the filter</source>
        <translation>مسح المرشح</translation>
    </message>
    <message>
        <source>Filter by name, architecture, quantisation or folder</source>
        <translation>ترشيح بالاسم أو البنية أو التكميم أو المجلد</translation>
    </message>
    <message>
        <source>Filter models</source>
        <translation>ترشيح النماذج</translation>
    </message>
    <message>
        <source>&amp;Open file…</source>
        <translation>فتح &amp;ملف…</translation>
    </message>
    <message>
        <source>&amp;Folders</source>
        <translation>&amp;المجلدات</translation>
    </message>
    <message>
        <source>&amp;Add folder…</source>
        <translation>&amp;إضافة مجلد…</translation>
    </message>
    <message>
        <source>&amp;Show removed models again (%1)</source>
        <translation>إظهار النماذج المُزالة &amp;ثانيةً (%1)</translation>
    </message>
    <message>
        <source>Remove %1 from the list</source>
        <translation>إزالة %1 من القائمة</translation>
    </message>
    <message>
        <source>Scan progress</source>
        <translation>تقدم البحث</translation>
    </message>
    <message>
        <source>Load with &amp;settings</source>
        <translation>التحميل &amp;بإعدادات</translation>
    </message>
    <message>
        <source>Settings to load the model with</source>
        <translation>إعدادات يُحمَّل بها النموذج</translation>
    </message>
    <message>
        <source>Re&amp;move from list</source>
        <translation>&amp;إزالة من القائمة</translation>
    </message>
    <message>
        <source>The file stays where it is</source>
        <translation>يبقى الملف حيث هو</translation>
    </message>
    <message>
        <source>&amp;Delete file…</source>
        <translation>&amp;حذف الملف…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>إغلاق</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>تحميل</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>نسخ المسار</translation>
    </message>
    <message>
        <source>Remove from list</source>
        <translation>إزالة من القائمة</translation>
    </message>
    <message>
        <source>Delete file…</source>
        <translation>حذف الملف…</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>ترتيب حسب</translation>
    </message>
    <message>
        <source>&amp;Use</source>
        <translation>&amp;استعمال</translation>
    </message>
    <message>
        <source>Where models are</source>
        <translation>أين النماذج</translation>
    </message>
    <message>
        <source>My models</source>
        <translation>نماذجي</translation>
    </message>
    <message>
        <source>Get models</source>
        <translation>الحصول على نماذج</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>التنزيلات</translation>
    </message>
    <message>
        <source>Downloads (%1)</source>
        <translation>التنزيلات (%1)</translation>
    </message>
    <message>
        <source>Ser&amp;vers…</source>
        <translation>&amp;الخوادم…</translation>
    </message>
    <message>
        <source>Add a server elsewhere, whose models answer in this window</source>
        <translation>إضافة خادم في مكان آخر تجيب نماذجه في هذه النافذة</translation>
    </message>
    <message>
        <source>Server %1</source>
        <translation>الخادم %1</translation>
    </message>
    <message>
        <source>Server %1: %2</source>
        <translation>الخادم %1: %2</translation>
    </message>
</context>
<context>
    <name>fireside::ModelQuery</name>
    <message>
        <source>models of %1</source>
        <translation>نماذج %1</translation>
    </message>
    <message>
        <source>%1 does not answer as OpenAI&apos;s interface does</source>
        <translation>لا يجيب %1 كما تجيب واجهة OpenAI</translation>
    </message>
</context>
<context>
    <name>fireside::ModelServer</name>
    <message>
        <source>The program is offline: other computers are not let in</source>
        <translation>البرنامج غير متصل: لا تُقبل حواسيب أخرى</translation>
    </message>
    <message>
        <source>The key cannot be stored: %1</source>
        <translation>لا يمكن حفظ المفتاح: %1</translation>
    </message>
</context>
<context>
    <name>fireside::Network</name>
    <message>
        <source>its authors let only those have it who accepted its terms: do so on its page, then try again</source>
        <translation>لا يعطيه أصحابه إلا لمن قبل شروطهم: اقبلها في صفحته ثم أعد المحاولة</translation>
    </message>
    <message>
        <source>its authors let only those have it who accepted its terms: do so on its page and give Fireside an access token</source>
        <translation>لا يعطيه أصحابه إلا لمن قبل شروطهم: اقبلها في صفحته وأعط Fireside رمز وصول</translation>
    </message>
    <message>
        <source>there is no such repository, or the access token may not read it</source>
        <translation>لا يوجد مستودع كهذا، أو لا يجوز لرمز الوصول أن يقرأه</translation>
    </message>
    <message>
        <source>there is no such repository, or it needs an access token</source>
        <translation>لا يوجد مستودع كهذا، أو يحتاج إلى رمز وصول</translation>
    </message>
    <message>
        <source>the server does not accept the access token</source>
        <translation>لا يقبل الخادم رمز الوصول</translation>
    </message>
    <message>
        <source>%1 has no such file (HTTP %2)</source>
        <translation>ليس لدى %1 ملف كهذا (HTTP %2)</translation>
    </message>
    <message>
        <source>%1 wants fewer requests (HTTP 429)</source>
        <translation>يريد %1 طلبات أقل (HTTP 429)</translation>
    </message>
    <message>
        <source>%1 is out of order (HTTP %2)</source>
        <translation>%1 معطل (HTTP %2)</translation>
    </message>
    <message>
        <source>%1 refuses it (HTTP %2)</source>
        <translation>يرفضه %1 (HTTP %2)</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>the identity of %1 cannot be trusted: %2</source>
        <translation>لا يمكن الوثوق بهوية %1: %2</translation>
    </message>
    <message>
        <source>%1 is not found: is there a connection?</source>
        <translation>لم يُعثر على %1: هل يوجد اتصال؟</translation>
    </message>
    <message>
        <source>%1 refuses the connection: the server may not be running</source>
        <translation>%1 يرفض الاتصال: ربما لا يعمل الخادم</translation>
    </message>
    <message>
        <source>%1 cut the connection</source>
        <translation>قطع %1 الاتصال</translation>
    </message>
    <message>
        <source>%1 does not speak HTTP</source>
        <translation>لا يتكلم %1 لغة HTTP</translation>
    </message>
    <message>
        <source>the connection to %1 failed: %2</source>
        <translation>فشل الاتصال بـ %1: %2</translation>
    </message>
</context>
<context>
    <name>fireside::NetworkGate</name>
    <message>
        <source>refused: Fireside is offline</source>
        <translation>مرفوض: Fireside غير متصل</translation>
    </message>
    <message>
        <source>cut: Fireside went offline</source>
        <translation>مقطوع: صار Fireside غير متصل</translation>
    </message>
    <message>
        <source>ended by Fireside</source>
        <translation>أنهاه Fireside</translation>
    </message>
</context>
<context>
    <name>fireside::NetworkStatus</name>
    <message>
        <source>Shows the downloads</source>
        <translation>يُظهر التنزيلات</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>غير متصل</translation>
    </message>
    <message>
        <source>Fireside opens no connection. A click leads to the switch.</source>
        <translation>لا يفتح Fireside أي اتصال. النقر يقود إلى المفتاح.</translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation>يُنزَّل</translation>
    </message>
    <message>
        <source>Downloading: %1 %</source>
        <translation>يُنزَّل: %1 %</translation>
    </message>
</context>
<context>
    <name>fireside::NoticeBar</name>
    <message>
        <source>Notices</source>
        <translation>الإشعارات</translation>
    </message>
    <message>
        <source>Older notice</source>
        <translation>إشعار أقدم</translation>
    </message>
    <message>
        <source>Newer notice</source>
        <translation>إشعار أحدث</translation>
    </message>
    <message>
        <source>Dismiss this notice</source>
        <translation>إغلاق هذا الإشعار</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 من %2</translation>
    </message>
</context>
<context>
    <name>fireside::NumberText</name>
    <message>
        <source>unknown</source>
        <translation>مجهول</translation>
    </message>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 رمز/ث</translation>
    </message>
</context>
<context>
    <name>fireside::OfferModel</name>
    <message>
        <source>all of the repository</source>
        <translation>كل المستودع</translation>
    </message>
    <message>
        <source>%1 (safetensors)</source>
        <translation>%1 (safetensors)</translation>
    </message>
    <message>
        <source>%1, %2 parts</source>
        <translation>%1، الأجزاء %2</translation>
    </message>
    <message>
        <source>Cannot be downloaded: %1</source>
        <translation>لا يمكن تنزيله: %1</translation>
    </message>
    <message>
        <source>Estimate: %1</source>
        <translation>تقدير: %1</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>النموذج</translation>
    </message>
    <message>
        <source>Will it fit?</source>
        <translation>هل يتسع له؟</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>الحجم</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>التكميم</translation>
    </message>
</context>
<context>
    <name>fireside::PlacementPreview</name>
    <message>
        <source>there is not enough memory</source>
        <translation>لا توجد ذاكرة كافية</translation>
    </message>
</context>
<context>
    <name>fireside::PlacementView</name>
    <message>
        <source>Expected: answer %1, prompt %2.</source>
        <translation>متوقع: الجواب %1، القراءة %2.</translation>
    </message>
    <message>
        <source>Expected: answer %1.</source>
        <translation>متوقع: الجواب %1.</translation>
    </message>
    <message>
        <source>Measured: answer %1, prompt %2.</source>
        <translation>مقيس: الجواب %1، القراءة %2.</translation>
    </message>
    <message>
        <source>Measured: answer %1.</source>
        <translation>مقيس: الجواب %1.</translation>
    </message>
    <message>
        <source>Its speed is not known.</source>
        <translation>سرعته غير معروفة.</translation>
    </message>
    <message>
        <source>Choose a model to see where it would run.</source>
        <translation>اختر نموذجًا لترى أين سيعمل.</translation>
    </message>
    <message>
        <source>Working out where it would run…</source>
        <translation>يُحسب أين سيعمل…</translation>
    </message>
    <message>
        <source>It fits</source>
        <translation>يتسع له</translation>
    </message>
    <message>
        <source>It cannot run so</source>
        <translation>لا يمكن أن يعمل هكذا</translation>
    </message>
    <message>
        <source>taken</source>
        <translation>مأخوذ</translation>
    </message>
    <message>
        <source>possible</source>
        <translation>ممكن</translation>
    </message>
    <message>
        <source>not possible</source>
        <translation>غير ممكن</translation>
    </message>
    <message>
        <source>Context: %1 tokens, all that the model was trained for; %2 were asked for.</source>
        <translation>السياق: %1 رمز، وهو كل ما دُرّب عليه النموذج؛ والمطلوب كان %2.</translation>
    </message>
    <message>
        <source>Context: %1 tokens, so that it fits; %2 were asked for.</source>
        <translation>السياق: %1 رمز كي يتّسع؛ والمطلوب كان %2.</translation>
    </message>
    <message>
        <source>Context: %1 tokens.</source>
        <translation>السياق: %1 رمز.</translation>
    </message>
</context>
<context>
    <name>fireside::PlainTextField</name>
    <message>
        <source>Very long lines were broken into several.</source>
        <translation>قُسِّمت السطور الطويلة جدًا إلى عدة سطور.</translation>
    </message>
</context>
<context>
    <name>fireside::PresetBar</name>
    <message>
        <source>P&amp;reset</source>
        <translation>الإعداد &amp;المسبق</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>الإعداد المسبق</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>الإعدادات المسبقة</translation>
    </message>
    <message>
        <source>Save, rename, delete, import and export presets</source>
        <translation>حفظ الإعدادات المسبقة وتسميتها وحذفها واستيرادها وتصديرها</translation>
    </message>
    <message>
        <source>&amp;Save as a preset…</source>
        <translation>&amp;حفظ كإعداد مسبق…</translation>
    </message>
    <message>
        <source>&amp;Rename…</source>
        <translation>تغيير &amp;الاسم…</translation>
    </message>
    <message>
        <source>&amp;Delete</source>
        <translation>&amp;حذف</translation>
    </message>
    <message>
        <source>“%1” was deleted. What was set by it stays.</source>
        <translation>حُذف «%1». ويبقى ما ضُبط به.</translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation>&amp;استيراد…</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>&amp;تصدير…</translation>
    </message>
    <message>
        <source>As for all chats</source>
        <translation>كما لكل المحادثات</translation>
    </message>
    <message>
        <source>None: as the model recommends</source>
        <translation>لا شيء: كما يوصي النموذج</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>الاسم</translation>
    </message>
    <message>
        <source>Save as a preset</source>
        <translation>حفظ كإعداد مسبق</translation>
    </message>
    <message>
        <source>Rename the preset</source>
        <translation>تغيير اسم الإعداد المسبق</translation>
    </message>
    <message>
        <source>There is a preset called “%1” already.</source>
        <translation>يوجد إعداد مسبق باسم «%1» بالفعل.</translation>
    </message>
    <message>
        <source>Import presets</source>
        <translation>استيراد إعدادات مسبقة</translation>
    </message>
    <message>
        <source>Presets (*.json)</source>
        <translation>إعدادات مسبقة (*.json)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>كل الملفات (*)</translation>
    </message>
    <message>
        <source>Presets imported: %1.</source>
        <translation>الإعدادات المسبقة المستوردة: %1.</translation>
    </message>
    <message>
        <source>Export your presets</source>
        <translation>تصدير إعداداتك المسبقة</translation>
    </message>
    <message>
        <source>presets</source>
        <translation>presets</translation>
    </message>
    <message>
        <source>Exported as %1.</source>
        <translation>صُدّر باسم %1.</translation>
    </message>
</context>
<context>
    <name>fireside::PresetStore</name>
    <message>
        <source>Precise</source>
        <translation>دقيق</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>متوازن</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>مبدع</translation>
    </message>
    <message>
        <source>A preset needs a name.</source>
        <translation>يحتاج الإعداد المسبق إلى اسم.</translation>
    </message>
    <message>
        <source>The name has %1 letters, at most %2 are kept.</source>
        <translation>في الاسم %1 حرفًا، ويُحفظ %2 على الأكثر.</translation>
    </message>
    <message>
        <source>“%1” comes with the program.</source>
        <translation>«%1» يأتي مع البرنامج.</translation>
    </message>
</context>
<context>
    <name>fireside::PrivacyPage</name>
    <message>
        <source>Offline</source>
        <translation>غير متصل</translation>
    </message>
    <message>
        <source>Stay &amp;offline</source>
        <translation>البقاء غير &amp;متصل</translation>
    </message>
    <message>
        <source>Fireside then opens no connection at all, and hands no link to the browser. What runs is cut at once; downloads go on when you are online again. Chats with models on this computer need no connection; remote models cannot answer.</source>
        <translation>لا يفتح Fireside عندئذ أي اتصال، ولا يسلّم أي رابط إلى المتصفح. يُقطع ما يجري فورًا؛ وتُستأنف التنزيلات حين تتصل من جديد. لا تحتاج المحادثات مع نماذج هذا الحاسوب إلى اتصال؛ أما النماذج البعيدة فلا تستطيع الرد.</translation>
    </message>
    <message>
        <source>Hugging Face</source>
        <translation>Hugging Face</translation>
    </message>
    <message>
        <source>&amp;Address, where it is a mirror</source>
        <translation>&amp;العنوان إن كان مرآة</translation>
    </message>
    <message>
        <source>Access &amp;token, for models that are not open to all</source>
        <translation>رمز &amp;الوصول للنماذج غير المتاحة للجميع</translation>
    </message>
    <message>
        <source>S&amp;ave</source>
        <translation>&amp;حفظ</translation>
    </message>
    <message>
        <source>Re&amp;move</source>
        <translation>&amp;إزالة</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>الاتصالات</translation>
    </message>
    <message>
        <source>Every connection that Fireside ever asked for, allowed or refused. There are none besides these: no telemetry, no search for updates. The list stays on this computer.</source>
        <translation>كل اتصال طلبه Fireside يومًا، مسموحًا أو مرفوضًا. لا يوجد غيرها: لا قياس عن بعد ولا بحث عن تحديثات. تبقى القائمة على هذا الحاسوب.</translation>
    </message>
    <message>
        <source>&amp;Clear</source>
        <translation>&amp;مسح</translation>
    </message>
    <message>
        <source>Clear the list of connections</source>
        <translation>مسح قائمة الاتصالات</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>&amp;تصدير…</translation>
    </message>
    <message>
        <source>Export the list of connections</source>
        <translation>تصدير قائمة الاتصالات</translation>
    </message>
    <message>
        <source>This holds until the program ends, but cannot be remembered: %1</source>
        <translation>يسري هذا حتى ينتهي البرنامج لكن لا يمكن تذكره: %1</translation>
    </message>
    <message>
        <source>The variable HF_ENDPOINT says it</source>
        <translation>المتغير HF_ENDPOINT يقول ذلك</translation>
    </message>
    <message>
        <source>A token is stored in %1, which only you may read. It goes to %2 alone.</source>
        <translation>في %1 رمز محفوظ لا يجوز لغيرك قراءته. ولا يُرسل إلا إلى %2.</translation>
    </message>
    <message>
        <source>The token of the variable HF_TOKEN is used. It goes to %1 alone.</source>
        <translation>يُستعمل رمز المتغير HF_TOKEN. ولا يُرسل إلا إلى %1.</translation>
    </message>
    <message>
        <source>No token is stored. It would lie in %1, which only you may read.</source>
        <translation>لا رمز محفوظ. سيوضع في %1 الذي لا يجوز لغيرك قراءته.</translation>
    </message>
    <message>
        <source>Connections: %1</source>
        <translation>الاتصالات: %1</translation>
    </message>
    <message>
        <source>The list cannot be stored: %1</source>
        <translation>لا يمكن حفظ القائمة: %1</translation>
    </message>
    <message>
        <source>The stored list cannot be deleted: %1</source>
        <translation>لا يمكن حذف القائمة المحفوظة: %1</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>جداول (*.csv)</translation>
    </message>
    <message>
        <source>It cannot be exported: %1</source>
        <translation>لا يمكن تصديرها: %1</translation>
    </message>
</context>
<context>
    <name>fireside::PromptDialog</name>
    <message>
        <source>Prompts</source>
        <translation>القوالب</translation>
    </message>
    <message>
        <source>&amp;Use</source>
        <translation>&amp;استعمال</translation>
    </message>
    <message>
        <source>&amp;Delete</source>
        <translation>&amp;حذف</translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation>&amp;استيراد…</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>&amp;تصدير…</translation>
    </message>
    <message>
        <source>Search prompts</source>
        <translation>البحث في القوالب</translation>
    </message>
    <message>
        <source>&amp;New prompt</source>
        <translation>قالب &amp;جديد</translation>
    </message>
    <message>
        <source>A message</source>
        <translation>رسالة</translation>
    </message>
    <message>
        <source>The chat&apos;s system prompt</source>
        <translation>تعليمات النظام للمحادثة</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>النص</translation>
    </message>
    <message>
        <source>Translate into {{language}}:</source>
        <translation>ترجم إلى {{اللغة}}:</translation>
    </message>
    <message>
        <source>N&amp;ame</source>
        <translation>&amp;اسم</translation>
    </message>
    <message>
        <source>&amp;For</source>
        <translation>&amp;من أجل</translation>
    </message>
    <message>
        <source>&amp;Text</source>
        <translation>&amp;النص</translation>
    </message>
    <message>
        <source>“%1” was deleted.</source>
        <translation>حُذف «%1».</translation>
    </message>
    <message>
        <source>Import prompts</source>
        <translation>استيراد قوالب</translation>
    </message>
    <message>
        <source>Prompts (*.json)</source>
        <translation>قوالب (*.json)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>كل الملفات (*)</translation>
    </message>
    <message>
        <source>Prompts imported: %1.</source>
        <translation>القوالب المستوردة: %1.</translation>
    </message>
    <message>
        <source>Export prompts</source>
        <translation>تصدير قوالب</translation>
    </message>
    <message>
        <source>prompts</source>
        <translation>prompts</translation>
    </message>
    <message>
        <source>Exported as %1.</source>
        <translation>صُدّر باسم %1.</translation>
    </message>
    <message>
        <source>What stands in double braces, like {{language}}, is asked for when the prompt is used.</source>
        <translation>ما يقع بين أقواس معقوفة مزدوجة، مثل {{اللغة}}، يُسأل عنه عند استعمال القالب.</translation>
    </message>
    <message>
        <source>Asked for when it is used: %1</source>
        <translation>يُسأل عند الاستعمال عن: %1</translation>
    </message>
</context>
<context>
    <name>fireside::PromptInserter</name>
    <message>
        <source>“%1” is now the system prompt of this chat.</source>
        <translation>«%1» هو الآن تعليمات النظام لهذه المحادثة.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>تراجع</translation>
    </message>
</context>
<context>
    <name>fireside::PromptPopup</name>
    <message>
        <source>Prompts</source>
        <translation>القوالب</translation>
    </message>
    <message>
        <source>%1 (system prompt)</source>
        <translation>%1 (تعليمات النظام)</translation>
    </message>
    <message>
        <source>No prompts yet: write one…</source>
        <translation>لا قوالب بعد: اكتب واحدًا…</translation>
    </message>
    <message>
        <source>All prompts…</source>
        <translation>كل القوالب…</translation>
    </message>
</context>
<context>
    <name>fireside::PromptStore</name>
    <message>
        <source>Prompt</source>
        <translation>القراءة</translation>
    </message>
</context>
<context>
    <name>fireside::QueuedMessage</name>
    <message>
        <source>Next:</source>
        <translation>التالي:</translation>
    </message>
    <message>
        <source>Edit the queued message</source>
        <translation>تعديل الرسالة المنتظرة</translation>
    </message>
    <message>
        <source>Do not send the queued message</source>
        <translation>عدم إرسال الرسالة المنتظرة</translation>
    </message>
    <message>
        <source>Queued message: %1</source>
        <translation>الرسالة المنتظرة: %1</translation>
    </message>
</context>
<context>
    <name>fireside::Remote</name>
    <message>
        <source>its answer does not end</source>
        <translation>جوابه لا ينتهي</translation>
    </message>
    <message>
        <source>its answer holds a piece that does not end</source>
        <translation>في جوابه قطعة لا تنتهي</translation>
    </message>
    <message>
        <source>its answer is empty</source>
        <translation>جوابه فارغ</translation>
    </message>
    <message>
        <source>it reports an error without words</source>
        <translation>يبلّغ عن خطأ بلا كلمات</translation>
    </message>
    <message>
        <source>it calls too many tools at once</source>
        <translation>يستدعي أدوات أكثر مما ينبغي دفعة واحدة</translation>
    </message>
    <message>
        <source>the arguments of a call do not end</source>
        <translation>معطيات استدعاء لا تنتهي</translation>
    </message>
    <message>
        <source>Answers come from %1; nothing is computed here. What you write goes there without encryption.</source>
        <translation>تأتي الأجوبة من %1؛ ولا يُحسب شيء هنا. ما تكتبه يذهب إلى هناك بلا تعمية.</translation>
    </message>
    <message>
        <source>Answers come from %1; nothing is computed here</source>
        <translation>تأتي الأجوبة من %1؛ ولا يُحسب شيء هنا</translation>
    </message>
    <message>
        <source>a web page, “%1”</source>
        <translation>صفحة ويب، «%1»</translation>
    </message>
    <message>
        <source>a web page</source>
        <translation>صفحة ويب</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 ث</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 د</translation>
    </message>
    <message>
        <source>%1 does not accept the key (HTTP 401)</source>
        <translation>لا يقبل %1 المفتاح (HTTP 401)</translation>
    </message>
    <message>
        <source>%1 wants a key (HTTP 401)</source>
        <translation>يريد %1 مفتاحًا (HTTP 401)</translation>
    </message>
    <message>
        <source>%1 does not allow it (HTTP 403)</source>
        <translation>لا يسمح %1 بذلك (HTTP 403)</translation>
    </message>
    <message>
        <source>%1 has no model “%2” (HTTP 404)</source>
        <translation>ليس لدى %1 نموذج «%2» (HTTP 404)</translation>
    </message>
    <message>
        <source>%1 has no such address (HTTP 404); most servers are found at an address that ends in /v1</source>
        <translation>ليس لدى %1 عنوان كهذا (HTTP 404)؛ تُوجد معظم الخوادم في عنوان ينتهي بـ /v1</translation>
    </message>
    <message>
        <source>the account at %1 is used up (HTTP 429)</source>
        <translation>استُنفد الحساب لدى %1 (HTTP 429)</translation>
    </message>
    <message>
        <source>%1 wants fewer requests, and none for %2 (HTTP 429)</source>
        <translation>يريد %1 طلبات أقل، ولا طلب خلال %2 (HTTP 429)</translation>
    </message>
    <message>
        <source>%1 wants fewer requests (HTTP 429)</source>
        <translation>يريد %1 طلبات أقل (HTTP 429)</translation>
    </message>
    <message>
        <source>%1 cannot answer at present (HTTP %2)</source>
        <translation>لا يستطيع %1 أن يجيب حاليًا (HTTP %2)</translation>
    </message>
    <message>
        <source>%1 has failed (HTTP %2)</source>
        <translation>تعطل %1 (HTTP %2)</translation>
    </message>
    <message>
        <source>%1 refuses the request (HTTP %2)</source>
        <translation>يرفض %1 الطلب (HTTP %2)</translation>
    </message>
    <message>
        <source>an address is missing, such as http://localhost:8000</source>
        <translation>ينقص عنوان، مثل http://localhost:8000</translation>
    </message>
    <message>
        <source>this is no address of the form http://host:port or https://host/path</source>
        <translation>ليس هذا عنوانًا بالشكل http://host:port أو https://host/path</translation>
    </message>
    <message>
        <source>an address may hold no password, “?” or “#”: a key has its own field</source>
        <translation>لا يجوز أن يكون في العنوان كلمة مرور أو «?» أو «#»: للمفتاح حقل خاص به</translation>
    </message>
    <message>
        <source>“%1” is no header of the form “Name: value”</source>
        <translation>«%1» ليست ترويسة بالشكل «Name: value»</translation>
    </message>
    <message>
        <source>the header “%1” is set by the connection itself</source>
        <translation>الترويسة «%1» يضعها الاتصال نفسه</translation>
    </message>
    <message>
        <source>%1 headers at most can be set</source>
        <translation>يمكن وضع %1 من الترويسات على الأكثر</translation>
    </message>
    <message>
        <source>this desktop has no keyring that runs</source>
        <translation>لا تعمل حلقة مفاتيح على سطح المكتب هذا</translation>
    </message>
    <message>
        <source>the keyring was not opened</source>
        <translation>لم تُفتح حلقة المفاتيح</translation>
    </message>
    <message>
        <source>the keyring says: %1</source>
        <translation>تقول حلقة المفاتيح: %1</translation>
    </message>
    <message>
        <source>this program was built without QtKeychain</source>
        <translation>بُني هذا البرنامج بلا QtKeychain</translation>
    </message>
    <message>
        <source>its answer is not in the form of OpenAI&apos;s</source>
        <translation>ليس جوابه بشكل OpenAI</translation>
    </message>
    <message>
        <source>%1 has no such model; it has: %2</source>
        <translation>ليس لدى %1 نموذج كهذا؛ لديه: %2</translation>
    </message>
    <message>
        <source>none</source>
        <translation>لا شيء</translation>
    </message>
</context>
<context>
    <name>fireside::RemoteModels</name>
    <message>
        <source>Its server is no longer in the list</source>
        <translation>لم يعد خادمه في القائمة</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1 لدى %2</translation>
    </message>
    <message>
        <source>its server is no longer in the list</source>
        <translation>لم يعد خادمه في القائمة</translation>
    </message>
    <message>
        <source>the server of %1 was removed from the list of servers; choose another model, or add it again</source>
        <translation>أُزيل خادم %1 من قائمة الخوادم؛ اختر نموذجًا آخر أو أضفه من جديد</translation>
    </message>
</context>
<context>
    <name>fireside::RemoteReply</name>
    <message>
        <source>%1 cannot go on with an answer that was begun; regenerate it</source>
        <translation>لا يستطيع %1 متابعة جواب بُدئ؛ أعد توليده</translation>
    </message>
    <message>
        <source>reply of %1</source>
        <translation>رد %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>the answer of %1 broke off</source>
        <translation>انقطع جواب %1</translation>
    </message>
    <message>
        <source>%1 ended the reply because of an error</source>
        <translation>أنهى %1 الرد بسبب خطأ</translation>
    </message>
    <message>
        <source>%1; trying again in %2 s (attempt %3 of %4)</source>
        <translation>%1؛ تُعاد المحاولة بعد %2 ث (المحاولة %3 من %4)</translation>
    </message>
</context>
<context>
    <name>fireside::RemoteServers</name>
    <message>
        <source>The list of servers was damaged. It was set aside as %1.</source>
        <translation>كانت قائمة الخوادم تالفة. وُضعت جانبًا باسم %1.</translation>
    </message>
    <message>
        <source>The list of servers cannot be stored: %1</source>
        <translation>لا يمكن حفظ قائمة الخوادم: %1</translation>
    </message>
    <message>
        <source>its key is no longer known; enter it again in the settings</source>
        <translation>لم يعد مفتاحه معروفًا؛ أدخله ثانية في الإعدادات</translation>
    </message>
    <message>
        <source>its key cannot be read: %1</source>
        <translation>لا يمكن قراءة مفتاحه: %1</translation>
    </message>
    <message>
        <source>its key is not in the keyring; enter it again in the settings</source>
        <translation>مفتاحه ليس في حلقة المفاتيح؛ أدخله ثانية في الإعدادات</translation>
    </message>
    <message>
        <source>a key consists of printable letters without spaces</source>
        <translation>يتكون المفتاح من حروف مطبوعة بلا مسافات</translation>
    </message>
</context>
<context>
    <name>fireside::ReplyDetailsDialog</name>
    <message>
        <source>after %1 letters to %2: %3</source>
        <translation>بعد %1 حرفًا إلى %2: %3</translation>
    </message>
    <message>
        <source>%1 in %2 s</source>
        <translation>%1 في %2 ث</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>النموذج</translation>
    </message>
    <message>
        <source>File</source>
        <translation>الملف</translation>
    </message>
    <message>
        <source>File&apos;s fingerprint</source>
        <translation>بصمة الملف</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>التكميم</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>الجهاز</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>المحرك</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>برنامج التشغيل</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>التوزيع</translation>
    </message>
    <message>
        <source>Moved</source>
        <translation>انتقل</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>السياق</translation>
    </message>
    <message>
        <source>%1 tokens, %2</source>
        <translation>الرموز %1، %2</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>القراءة</translation>
    </message>
    <message>
        <source>reused %1 of %2 tokens, computed %3</source>
        <translation>أُعيد استعمال %1 من %2 رموز، وحُسب %3</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>الرد</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>الرموز: %1</translation>
    </message>
    <message>
        <source>Ended by</source>
        <translation>أنهاه</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>الأفكار</translation>
    </message>
    <message>
        <source>ended after %1 tokens</source>
        <translation>انتهت بعد %1 من الرموز</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>البذرة</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>الإعدادات</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>تعليمات النظام</translation>
    </message>
    <message>
        <source>Continued</source>
        <translation>مُتابَع</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>البرنامج</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>كُتب</translation>
    </message>
    <message>
        <source>The same: every word as it was.</source>
        <translation>هو نفسه: كل كلمة كما كانت.</translation>
    </message>
    <message>
        <source>It differs from letter %1 on: “%2”, it was “%3”.</source>
        <translation>يختلف بدءًا من الحرف %1: «%2»، وكان «%3».</translation>
    </message>
    <message>
        <source>Nothing that is recorded differs.</source>
        <translation>لا يختلف شيء مما سُجل.</translation>
    </message>
    <message>
        <source>What is not as it was: %1.</source>
        <translation>ما ليس كما كان: %1.</translation>
    </message>
    <message>
        <source>How this reply was made</source>
        <translation>كيف كُتب هذا الرد</translation>
    </message>
    <message>
        <source>&amp;Replay exactly</source>
        <translation>إعادة &amp;بدقة</translation>
    </message>
    <message>
        <source>Computes the reply once more with the same seed and settings, and compares the words</source>
        <translation>يحسب الرد مرة أخرى بالبذرة والإعدادات نفسها ويقارن الكلمات</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;نسخ</translation>
    </message>
    <message>
        <source>Computing…</source>
        <translation>يُحسب…</translation>
    </message>
    <message>
        <source>Computing… %1 of %2 tokens</source>
        <translation>يُحسب… %1 من %2 رموز</translation>
    </message>
    <message>
        <source>In place of a server</source>
        <translation>بدلًا من خادم</translation>
    </message>
    <message>
        <source>Not sent to the server</source>
        <translation>لم يُرسل إلى الخادم</translation>
    </message>
    <message>
        <source>Model reported by the server</source>
        <translation>النموذج كما يقول الخادم</translation>
    </message>
</context>
<context>
    <name>fireside::ReplyReplay</name>
    <message>
        <source>This reply has no record of how it was made.</source>
        <translation>ليس لهذا الرد سجل عن كيفية كتابته.</translation>
    </message>
    <message>
        <source>This reply was continued; only one that was written in one go can be computed again.</source>
        <translation>تمت متابعة هذا الرد؛ لا يمكن إعادة حساب إلا ما كُتب دفعة واحدة.</translation>
    </message>
    <message>
        <source>Summaries are not computed again.</source>
        <translation>لا يُعاد حساب الملخصات.</translation>
    </message>
    <message>
        <source>This reply was not finished.</source>
        <translation>لم يكتمل هذا الرد.</translation>
    </message>
    <message>
        <source>%1 is “%2”, it was “%3”</source>
        <translation>%1 هو «%2» وكان «%3»</translation>
    </message>
    <message>
        <source>the model</source>
        <translation>النموذج</translation>
    </message>
    <message>
        <source>the model&apos;s file has other contents</source>
        <translation>لملف النموذج محتوى آخر</translation>
    </message>
    <message>
        <source>its weights were quantised otherwise while loading</source>
        <translation>كُمّمت أوزانه أثناء التحميل على نحو آخر</translation>
    </message>
    <message>
        <source>the backend</source>
        <translation>المحرك</translation>
    </message>
    <message>
        <source>the device</source>
        <translation>الجهاز</translation>
    </message>
    <message>
        <source>the placement</source>
        <translation>التوزيع</translation>
    </message>
    <message>
        <source>the context memory</source>
        <translation>ذاكرة السياق</translation>
    </message>
    <message>
        <source>the program&apos;s version</source>
        <translation>إصدار البرنامج</translation>
    </message>
    <message>
        <source>a device failed in the middle of it, and it went on elsewhere</source>
        <translation>تعطل جهاز في أثنائه وتابع في مكان آخر</translation>
    </message>
    <message>
        <source>The model is not ready.</source>
        <translation>النموذج غير جاهز.</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>أُوقف.</translation>
    </message>
    <message>
        <source>%1 tokens of the prompt were taken from the cache, %2 then: computed in other passes they differ in the last digits</source>
        <translation>أُخذ %1 من رموز القراءة من المخزون، وكان %2 حينها: إذا حُسبت في دفعات أخرى اختلفت في آخر المنازل</translation>
    </message>
    <message>
        <source>This reply was written by a server, whose computing is not known; only replies of this computer can be computed again exactly.</source>
        <translation>كتب هذا الرد خادم لا يُعرف حسابه؛ لا يمكن إعادة حساب غير ردود هذا الحاسوب بدقة.</translation>
    </message>
    <message>
        <source>The model that is loaded runs on a server, which cannot compute it exactly; load the model that wrote it.</source>
        <translation>النموذج المحمّل يعمل على خادم لا يستطيع حسابه بدقة؛ حمّل النموذج الذي كتبه.</translation>
    </message>
</context>
<context>
    <name>fireside::RepositoryModel</name>
    <message>
        <source>after accepting terms</source>
        <translation>بعد قبول الشروط</translation>
    </message>
    <message>
        <source>open to all</source>
        <translation>متاح للجميع</translation>
    </message>
    <message>
        <source>Repository</source>
        <translation>المستودع</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>المعاملات</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>التنزيلات</translation>
    </message>
    <message>
        <source>Likes</source>
        <translation>الإعجابات</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>الرخصة</translation>
    </message>
    <message>
        <source>Access</source>
        <translation>الوصول</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>تغيّر</translation>
    </message>
</context>
<context>
    <name>fireside::SamplingEditor</name>
    <message>
        <source>What is on works in this order: likelier words, penalties, DRY, top-n-sigma, top-k, temperature, typical-p, min-p, top-p, XTC. Mirostat takes the place of everything from top-n-sigma on but the temperature.</source>
        <translation>ما هو مفعّل يعمل بهذا الترتيب: الكلمات الأرجح، العقوبات، DRY، top-n-sigma، top-k، الحرارة، typical-p، min-p، top-p، XTC. يحل Mirostat محل كل ما بدءًا من top-n-sigma ما عدا الحرارة.</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>إعادة</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <translation>إعادة %1</translation>
    </message>
    <message>
        <source>%1 (%2 set)</source>
        <translation>%1 (المضبوط %2)</translation>
    </message>
    <message>
        <source>Recommended by %1</source>
        <translation>يوصي به %1</translation>
    </message>
    <message>
        <source>Preset %1, for all chats</source>
        <translation>الإعداد المسبق %1 لكل المحادثات</translation>
    </message>
    <message>
        <source>Preset %1</source>
        <translation>الإعداد المسبق %1</translation>
    </message>
    <message>
        <source>Set for all chats</source>
        <translation>مضبوط لكل المحادثات</translation>
    </message>
    <message>
        <source>Set here</source>
        <translation>مضبوط هنا</translation>
    </message>
    <message>
        <source>Set for this chat</source>
        <translation>مضبوط لهذه المحادثة</translation>
    </message>
</context>
<context>
    <name>fireside::ServerDialog</name>
    <message>
        <source>Add a server</source>
        <translation>إضافة خادم</translation>
    </message>
    <message>
        <source>Change a server</source>
        <translation>تغيير خادم</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>&amp;العنوان</translation>
    </message>
    <message>
        <source>This address is not encrypted: whoever is on the way can read what you write, and the key. Between computers https is safer, or a tunnel.</source>
        <translation>هذا العنوان غير معمّى: من كان في الطريق يستطيع قراءة ما تكتب والمفتاح. بين الحواسيب https آمن، أو نفق.</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;الاسم</translation>
    </message>
    <message>
        <source>As it is to be called; empty: its address</source>
        <translation>كما يُسمى؛ فارغ: عنوانه</translation>
    </message>
    <message>
        <source>The key could not be stored: %1. Choose another place for it.</source>
        <translation>تعذر حفظ المفتاح: %1. اختر له مكانًا آخر.</translation>
    </message>
    <message>
        <source>&amp;Key</source>
        <translation>&amp;المفتاح</translation>
    </message>
    <message>
        <source>Where the key is kept</source>
        <translation>أين يُحفظ المفتاح</translation>
    </message>
    <message>
        <source>In the desktop&apos;s keyring</source>
        <translation>في حلقة مفاتيح سطح المكتب</translation>
    </message>
    <message>
        <source>Nowhere: until Fireside ends</source>
        <translation>لا مكان: حتى ينتهي Fireside</translation>
    </message>
    <message>
        <source>In a file that only you can read, not encrypted</source>
        <translation>في ملف لا يقرؤه غيرك، بلا تعمية</translation>
    </message>
    <message>
        <source>Forget the key</source>
        <translation>نسيان المفتاح</translation>
    </message>
    <message>
        <source>Kee&amp;p the key</source>
        <translation>&amp;حفظ المفتاح</translation>
    </message>
    <message>
        <source>&amp;Models</source>
        <translation>&amp;النماذج</translation>
    </message>
    <message>
        <source>Only where the server does not list them; several: a, b</source>
        <translation>فقط حيث لا يسردها الخادم؛ عدة نماذج: a, b</translation>
    </message>
    <message>
        <source>Headers</source>
        <translation>الترويسات</translation>
    </message>
    <message>
        <source>Rarely needed. Name: value, one per line</source>
        <translation>نادرًا ما تلزم. Name: value، واحدة في كل سطر</translation>
    </message>
    <message>
        <source>&amp;Headers</source>
        <translation>&amp;الترويسات</translation>
    </message>
    <message>
        <source>&amp;Test connection</source>
        <translation>فحص &amp;الاتصال</translation>
    </message>
    <message>
        <source>Result of the test</source>
        <translation>نتيجة الفحص</translation>
    </message>
    <message>
        <source>Stays as it is</source>
        <translation>يبقى كما هو</translation>
    </message>
    <message>
        <source>Only where the server wants one</source>
        <translation>فقط حيث يريد الخادم واحدًا</translation>
    </message>
    <message>
        <source>a key consists of printable letters without spaces</source>
        <translation>يتكون المفتاح من حروف مطبوعة بلا مسافات</translation>
    </message>
    <message>
        <source>Asking %1…</source>
        <translation>يُسأل %1…</translation>
    </message>
    <message>
        <source>%1 (%2 tokens)</source>
        <translation>%1 (الرموز %2)</translation>
    </message>
    <message>
        <source>… and %1 more</source>
        <translation>… و%1 أخرى</translation>
    </message>
    <message>
        <source>It answers. Its models (%1):</source>
        <translation>يجيب. نماذجه (%1):</translation>
    </message>
    <message>
        <source>%1 answers. Its models (%2):</source>
        <translation>يجيب %1. نماذجه (%2):</translation>
    </message>
    <message>
        <source>It answers, but has no models.</source>
        <translation>يجيب لكن ليس لديه نماذج.</translation>
    </message>
</context>
<context>
    <name>fireside::ServerPage</name>
    <message>
        <source>Server for other programs</source>
        <translation>خادم للبرامج الأخرى</translation>
    </message>
    <message>
        <source>Address for other programs</source>
        <translation>عنوان للبرامج الأخرى</translation>
    </message>
    <message>
        <source>It is off</source>
        <translation>هو متوقف</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;نسخ</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>نسخ العنوان</translation>
    </message>
    <message>
        <source>Key that programs must send</source>
        <translation>مفتاح على البرامج أن ترسله</translation>
    </message>
    <message>
        <source>None: every program on this computer may ask</source>
        <translation>لا شيء: يجوز لكل برنامج على هذا الحاسوب أن يسأل</translation>
    </message>
    <message>
        <source>&amp;Show</source>
        <translation>&amp;إظهار</translation>
    </message>
    <message>
        <source>Show the key</source>
        <translation>إظهار المفتاح</translation>
    </message>
    <message>
        <source>&amp;New key</source>
        <translation>مفتاح &amp;جديد</translation>
    </message>
    <message>
        <source>Make a new key</source>
        <translation>صنع مفتاح جديد</translation>
    </message>
    <message>
        <source>C&amp;opy</source>
        <translation>&amp;نسخ</translation>
    </message>
    <message>
        <source>Copy the key</source>
        <translation>نسخ المفتاح</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>&amp;العنوان</translation>
    </message>
    <message>
        <source>&amp;Key</source>
        <translation>&amp;المفتاح</translation>
    </message>
    <message>
        <source>Programs that asked</source>
        <translation>برامج سألت</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>البرنامج</translation>
    </message>
    <message>
        <source>From</source>
        <translation>من</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>الطلبات</translation>
    </message>
    <message>
        <source>Tokens read</source>
        <translation>الرموز المقروءة</translation>
    </message>
    <message>
        <source>Tokens written</source>
        <translation>الرموز المكتوبة</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>معطّل</translation>
    </message>
    <message numerus="yes">
        <source>On, with the model %1: %n replies are being written, %2 requests wait; %3 together</source>
        <translation>
            <numerusform>يعمل بالنموذج %1: لا ردود تُكتب، والطلبات المنتظرة %2؛ معًا %3</numerusform>
            <numerusform>يعمل بالنموذج %1: رد واحد يُكتب، والطلبات المنتظرة %2؛ معًا %3</numerusform>
            <numerusform>يعمل بالنموذج %1: ردّان يُكتبان، والطلبات المنتظرة %2؛ معًا %3</numerusform>
            <numerusform>يعمل بالنموذج %1: %n ردود تُكتب، والطلبات المنتظرة %2؛ معًا %3</numerusform>
            <numerusform>يعمل بالنموذج %1: %n ردًا تُكتب، والطلبات المنتظرة %2؛ معًا %3</numerusform>
            <numerusform>يعمل بالنموذج %1: %n رد تُكتب، والطلبات المنتظرة %2؛ معًا %3</numerusform>
        </translation>
    </message>
    <message>
        <source>without a name</source>
        <translation>بلا اسم</translation>
    </message>
    <message>
        <source>%1 (asks now)</source>
        <translation>%1 (يسأل الآن)</translation>
    </message>
    <message>
        <source>On; no model is loaded on this computer</source>
        <translation>يعمل؛ لا نموذج محمّل على هذا الحاسوب</translation>
    </message>
    <message>
        <source>On, with the model %1: nobody asks just now</source>
        <translation>يعمل بالنموذج %1: لا أحد يسأل الآن</translation>
    </message>
    <message>
        <source>It could not be started</source>
        <translation>تعذّر تشغيله</translation>
    </message>
    <message>
        <source>It is on, but could not be started</source>
        <translation>مُشغَّل، لكن تعذّر بدؤه</translation>
    </message>
</context>
<context>
    <name>fireside::ServersPage</name>
    <message>
        <source>asking…</source>
        <translation>يُسأل…</translation>
    </message>
    <message>
        <source>models: %1</source>
        <translation>النماذج: %1</translation>
    </message>
    <message>
        <source>Servers elsewhere</source>
        <translation>خوادم في أماكن أخرى</translation>
    </message>
    <message>
        <source>Models that other computers or programs run: vLLM, SGLang, llama-server, LM Studio, Ollama, or a service. Chats with them are sent there; nothing is computed here.</source>
        <translation>نماذج تشغّلها حواسيب أو برامج أخرى: vLLM أو SGLang أو llama-server أو LM Studio أو Ollama أو خدمة. تُرسل المحادثات معها إلى هناك؛ ولا يُحسب شيء هنا.</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>الخوادم</translation>
    </message>
    <message>
        <source>No server was added yet.</source>
        <translation>لم يُضف خادم بعد.</translation>
    </message>
    <message>
        <source>&amp;Add…</source>
        <translation>&amp;إضافة…</translation>
    </message>
    <message>
        <source>&amp;Change…</source>
        <translation>&amp;تغيير…</translation>
    </message>
    <message>
        <source>&amp;Remove…</source>
        <translation>&amp;إزالة…</translation>
    </message>
    <message>
        <source>&amp;How to run large models</source>
        <translation>&amp;كيف تُشغَّل النماذج الكبيرة</translation>
    </message>
    <message>
        <source>A&amp;nswer on this computer while a server cannot be reached</source>
        <translation>&amp;الإجابة على هذا الحاسوب حين لا يمكن الوصول إلى خادم</translation>
    </message>
    <message>
        <source>the starter model</source>
        <translation>النموذج الابتدائي</translation>
    </message>
    <message>
        <source>With the model of this computer that was used last: %1. The reply says so, and the next message goes to the server again.</source>
        <translation>بآخر نموذج استُعمل على هذا الحاسوب: %1. يقول الرد ذلك، وتذهب الرسالة التالية إلى الخادم ثانية.</translation>
    </message>
    <message>
        <source>Remove a server</source>
        <translation>إزالة خادم</translation>
    </message>
    <message>
        <source>Remove “%1” from the list?</source>
        <translation>إزالة «%1» من القائمة؟</translation>
    </message>
    <message>
        <source>Its key is deleted, too. Chats with its models stay.</source>
        <translation>يُحذف مفتاحه أيضًا. تبقى المحادثات مع نماذجه.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>إزالة</translation>
    </message>
    <message>
        <source>Models of servers</source>
        <translation>نماذج الخوادم</translation>
    </message>
</context>
<context>
    <name>fireside::SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>الإعدادات</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>الصفحات</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>المحرك</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>التوليد</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>المظهر</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>التخزين</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>الاختصارات</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>الخصوصية</translation>
    </message>
    <message>
        <source>Local server</source>
        <translation>الخادم المحلي</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>الخوادم</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>الأدوات</translation>
    </message>
</context>
<context>
    <name>fireside::ShortcutsPage</name>
    <message>
        <source> or </source>
        <translation> أو </translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>الاختصارات</translation>
    </message>
    <message>
        <source>What</source>
        <translation>ماذا</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>المفاتيح</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>إرسال الرسالة</translation>
    </message>
    <message>
        <source>New line in the message</source>
        <translation>سطر جديد في الرسالة</translation>
    </message>
    <message>
        <source>Edit the last message (in an empty field)</source>
        <translation>تعديل الرسالة الأخيرة (في حقل فارغ)</translation>
    </message>
</context>
<context>
    <name>fireside::SignInBar</name>
    <message>
        <source>Copy the &amp;address</source>
        <translation>&amp;نسخ العنوان</translation>
    </message>
    <message>
        <source>Waiting for the browser, in which %1 asks you to sign in for the tool server “%2”.</source>
        <translation>في انتظار المتصفح الذي يطلب فيه %1 منك تسجيل الدخول لخادم الأدوات «%2».</translation>
    </message>
    <message>
        <source>The tool server “%1” wants more rights, which %2 gives.</source>
        <translation>يريد خادم الأدوات «%1» حقوقًا أكثر يمنحها %2.</translation>
    </message>
    <message>
        <source>The tool server “%1” wants you to sign in at %2.</source>
        <translation>يريد خادم الأدوات «%1» منك تسجيل الدخول عند %2.</translation>
    </message>
    <message>
        <source>It asks for: %1.</source>
        <translation>يطلب: %1.</translation>
    </message>
    <message>
        <source>The page opens in your browser, and what you enter there stays there. Fireside gets a token for this server alone.</source>
        <translation>تُفتح الصفحة في متصفحك، وما تدخله هناك يبقى هناك. يحصل Fireside على رمز لهذا الخادم وحده.</translation>
    </message>
    <message>
        <source>You are not signed in: %1.</source>
        <translation>لم تسجّل الدخول: %1.</translation>
    </message>
    <message>
        <source>&amp;Sign in at %1</source>
        <translation>&amp;تسجيل الدخول عند %1</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>&amp;إلغاء</translation>
    </message>
    <message>
        <source>&amp;Not now</source>
        <translation>&amp;ليس الآن</translation>
    </message>
</context>
<context>
    <name>fireside::SleepWatch</name>
    <message>
        <source>The model leaves the graphics card</source>
        <translation>يغادر النموذج بطاقة الرسوميات</translation>
    </message>
</context>
<context>
    <name>fireside::Startup</name>
    <message>
        <source>listens for other programs</source>
        <translation>يصغي إلى البرامج الأخرى</translation>
    </message>
    <message>
        <source>closed</source>
        <translation>أُغلق</translation>
    </message>
</context>
<context>
    <name>fireside::StatusPanel</name>
    <message>
        <source>Idle</source>
        <translation>خامل</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>جاهز</translation>
    </message>
    <message>
        <source>Working</source>
        <translation>يعمل</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>تحذير</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>مشكلة</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>الحالة</translation>
    </message>
    <message>
        <source>Opens the model picker</source>
        <translation>يفتح اختيار النماذج</translation>
    </message>
    <message>
        <source>Opens the details of every device</source>
        <translation>يفتح تفاصيل كل جهاز</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>الذاكرة</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>السياق</translation>
    </message>
    <message>
        <source>How fast the model reads</source>
        <translation>ما سرعة قراءة النموذج</translation>
    </message>
    <message>
        <source>How fast the model writes</source>
        <translation>ما سرعة كتابة النموذج</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>التوزيع</translation>
    </message>
    <message>
        <source>Loading progress</source>
        <translation>تقدم التحميل</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>إلغاء التحميل</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>النموذج</translation>
    </message>
    <message>
        <source>Where it runs and why</source>
        <translation>أين يعمل ولماذا</translation>
    </message>
    <message>
        <source>Prompt %1</source>
        <translation>القراءة %1</translation>
    </message>
    <message>
        <source>Answer %1</source>
        <translation>الجواب %1</translation>
    </message>
    <message>
        <source>%1 – starter (built in)</source>
        <translation>%1 – ابتدائي (مضمّن)</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>لا نموذج</translation>
    </message>
    <message>
        <source>Loading %1 was cancelled. Choose a model to start.</source>
        <translation>أُلغي تحميل %1. اختر نموذجًا للبدء.</translation>
    </message>
    <message>
        <source>Could not load %1: %2</source>
        <translation>تعذر تحميل %1: %2</translation>
    </message>
    <message>
        <source>No model is loaded. Choose one to start.</source>
        <translation>لم يُحمَّل أي نموذج. اختر واحدًا للبدء.</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>يتوقف…</translation>
    </message>
    <message>
        <source>The last reply failed: %1</source>
        <translation>فشل الرد الأخير: %1</translation>
    </message>
    <message>
        <source>%1 predicted</source>
        <translation>المتوقع %1</translation>
    </message>
    <message>
        <source>%1 of %2 predicted</source>
        <translation>%1 من %2 متوقع</translation>
    </message>
    <message>
        <source>In use now: %1.</source>
        <translation>المستعمل الآن: %1.</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 من %2</translation>
    </message>
    <message>
        <source>Tokens of this chat the model has read, of the %1 it has room for.</source>
        <translation>رموز هذه المحادثة التي قرأها النموذج، من %1 يتسع لها.</translation>
    </message>
    <message>
        <source>The model was trained for %1; the settings can give it more.</source>
        <translation>دُرّب النموذج على %1؛ ويمكن للإعدادات أن تعطيه أكثر.</translation>
    </message>
    <message>
        <source> · oldest left out</source>
        <translation> · تُرك الأقدم</translation>
    </message>
    <message>
        <source>The chat is longer than that: its oldest messages are kept, but the model no longer sees them.</source>
        <translation>المحادثة أطول من ذلك: تُحفظ أقدم رسائلها لكن النموذج لم يعد يراها.</translation>
    </message>
    <message>
        <source> · full</source>
        <translation> · ممتلئ</translation>
    </message>
    <message>
        <source> · nearly full</source>
        <translation> · يكاد يمتلئ</translation>
    </message>
    <message>
        <source>reading %1 of %2</source>
        <translation>يقرأ %1 من %2</translation>
    </message>
    <message>
        <source>%1 of %2 reused</source>
        <translation>أُعيد استعمال %1 من %2</translation>
    </message>
    <message>
        <source>No model yet</source>
        <translation>لا نموذج بعد</translation>
    </message>
    <message>
        <source>Looking at this computer&apos;s processors…</source>
        <translation>يجري فحص معالجات هذا الحاسوب…</translation>
    </message>
    <message>
        <source>Loading %1…</source>
        <translation>يجري تحميل %1…</translation>
    </message>
    <message>
        <source>Opens the settings of the server</source>
        <translation>يفتح إعدادات الخادم</translation>
    </message>
    <message>
        <source>Server: problem</source>
        <translation>الخادم: مشكلة</translation>
    </message>
    <message>
        <source>Server: ready</source>
        <translation>الخادم: جاهز</translation>
    </message>
    <message numerus="yes">
        <source>Server: %n programs, %1</source>
        <translation>
            <numerusform>الخادم: لا برامج، %1</numerusform>
            <numerusform>الخادم: برنامج واحد، %1</numerusform>
            <numerusform>الخادم: برنامجان، %1</numerusform>
            <numerusform>الخادم: %n برامج، %1</numerusform>
            <numerusform>الخادم: %n برنامجًا، %1</numerusform>
            <numerusform>الخادم: %n برنامج، %1</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>الرموز: %1</translation>
    </message>
    <message>
        <source>room for %1</source>
        <translation>مكان لـ %1</translation>
    </message>
    <message>
        <source>counted by the server</source>
        <translation>يعدّها الخادم</translation>
    </message>
    <message>
        <source>The server counts the tokens of this chat and tells them with each reply.</source>
        <translation>يعدّ الخادم رموز هذه المحادثة ويذكرها مع كل رد.</translation>
    </message>
    <message>
        <source>Server: 1 program, %1</source>
        <translation>الخادم: برنامج واحد، %1</translation>
    </message>
    <message>
        <source>Server: no model</source>
        <translation>الخادم: بلا نموذج</translation>
    </message>
    <message>
        <source>Predicted before loading: %1 (weights %2, context memory %3, the rest for calculations). The program&apos;s own memory is not part of it.</source>
        <translation>المتوقع قبل التحميل: %1 (الأوزان %2، ذاكرة السياق %3، والباقي للحسابات). ذاكرة البرنامج نفسه غير محسوبة فيه.</translation>
    </message>
    <message>
        <source>%1 were asked for; the model was trained for no more.</source>
        <translation>المطلوب كان %1؛ ولم يُدرَّب النموذج على أكثر.</translation>
    </message>
</context>
<context>
    <name>fireside::StoragePage</name>
    <message>
        <source>Computed chats</source>
        <translation>المحادثات المحسوبة</translation>
    </message>
    <message>
        <source>Disk space of computed chats</source>
        <translation>مساحة القرص للمحادثات المحسوبة</translation>
    </message>
    <message>
        <source>&amp;Clear</source>
        <translation>&amp;مسح</translation>
    </message>
    <message>
        <source>Clear computed chats</source>
        <translation>مسح المحادثات المحسوبة</translation>
    </message>
    <message>
        <source>The chats stay; they are computed again when they go on.</source>
        <translation>تبقى المحادثات؛ وتُحسب ثانية حين تستمر.</translation>
    </message>
    <message>
        <source>%1 of %2 on the disk, %3 in memory; %4 tokens</source>
        <translation>%1 من %2 على القرص، و%3 في الذاكرة؛ الرموز %4</translation>
    </message>
</context>
<context>
    <name>fireside::TextAttachment</name>
    <message>
        <source>“%1” is not a file.</source>
        <translation>«%1» ليس ملفًا.</translation>
    </message>
    <message>
        <source>“%1” is too long for a message: %2 KB, %3 KB at most.</source>
        <translation>«%1» أطول من أن يكون رسالة: %2 ك.ب، والأكثر %3 ك.ب.</translation>
    </message>
    <message>
        <source>“%1” cannot be read: %2</source>
        <translation>لا يمكن قراءة «%1»: %2</translation>
    </message>
    <message>
        <source>“%1” is not a text file.</source>
        <translation>«%1» ليس ملفًا نصيًا.</translation>
    </message>
</context>
<context>
    <name>fireside::ThinkingButton</name>
    <message>
        <source>How the model thinks in this chat</source>
        <translation>كيف يفكر النموذج في هذه المحادثة</translation>
    </message>
    <message>
        <source>Longest thoughts</source>
        <translation>أطول أفكار</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>بلا حد</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>الرموز: %1</translation>
    </message>
    <message>
        <source>at most %1 tokens</source>
        <translation>الرموز %1 على الأكثر</translation>
    </message>
    <message>
        <source>Thinking: no limit</source>
        <translation>التفكير: بلا حد</translation>
    </message>
</context>
<context>
    <name>fireside::ThinkingOffer</name>
    <message>
        <source>The loaded model&apos;s chat template has no switch for thinking.</source>
        <translation>ليس في قالب محادثة النموذج المحمّل مفتاح للتفكير.</translation>
    </message>
    <message>
        <source>The loaded model&apos;s chat template knows no efforts.</source>
        <translation>لا يعرف قالب محادثة النموذج المحمّل درجات جهد.</translation>
    </message>
    <message>
        <source>The loaded model does not mark its thoughts, so that they cannot be ended.</source>
        <translation>لا يعلّم النموذج المحمّل أفكاره، فلا يمكن إنهاؤها.</translation>
    </message>
</context>
<context>
    <name>fireside::ToolBox</name>
    <message>
        <source>there is no server called “%1”</source>
        <translation>لا يوجد خادم باسم «%1»</translation>
    </message>
    <message>
        <source>its server does not run</source>
        <translation>خادمها لا يعمل</translation>
    </message>
</context>
<context>
    <name>fireside::ToolResult</name>
    <message>
        <source>
[Cut here: these are %1 of %2 characters.]</source>
        <translation>
[قُطع هنا: هذه %1 من %2 حرفًا.]</translation>
    </message>
</context>
<context>
    <name>fireside::ToolServerDialog</name>
    <message>
        <source>“%1” has no “%2” in it</source>
        <translation>ليس في «%1» أي «%2»</translation>
    </message>
    <message>
        <source>Add a tool server</source>
        <translation>إضافة خادم أدوات</translation>
    </message>
    <message>
        <source>Tool server “%1”</source>
        <translation>خادم الأدوات «%1»</translation>
    </message>
    <message>
        <source>files</source>
        <translation>files</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;الاسم</translation>
    </message>
    <message>
        <source>A program on this computer</source>
        <translation>برنامج على هذا الحاسوب</translation>
    </message>
    <message>
        <source>An address (HTTP)</source>
        <translation>عنوان (HTTP)</translation>
    </message>
    <message>
        <source>&amp;Kind</source>
        <translation>&amp;النوع</translation>
    </message>
    <message>
        <source>&amp;Command</source>
        <translation>&amp;الأمر</translation>
    </message>
    <message>
        <source>your home folder</source>
        <translation>مجلدك الشخصي</translation>
    </message>
    <message>
        <source>Start &amp;in</source>
        <translation>البدء &amp;في</translation>
    </message>
    <message>
        <source>&amp;Variables</source>
        <translation>&amp;المتغيرات</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>&amp;العنوان</translation>
    </message>
    <message>
        <source>&amp;Headers</source>
        <translation>&amp;الترويسات</translation>
    </message>
    <message>
        <source>Only the &amp;old way over HTTP (“sse”, before 2025)</source>
        <translation>فقط الطريقة &amp;القديمة عبر HTTP («sse»، قبل 2025)</translation>
    </message>
    <message>
        <source>Programs get PATH, HOME, the language and the like, and what stands under Variables; nothing else of your environment. ${NAME} takes a value from it. A program that you start here can do whatever you can: add only what you trust.</source>
        <translation>تُعطى البرامج PATH وHOME واللغة وما شابه، وما هو تحت المتغيرات؛ ولا شيء آخر من بيئتك. ${NAME} تأخذ قيمة منها. البرنامج الذي تشغّله هنا يستطيع كل ما تستطيعه: لا تضف إلا ما تثق به.</translation>
    </message>
    <message>
        <source>The server needs a name of its own, without /.</source>
        <translation>يحتاج الخادم إلى اسم خاص به بلا /.</translation>
    </message>
    <message>
        <source>It cannot be used like this: %1.</source>
        <translation>لا يمكن استعماله هكذا: %1.</translation>
    </message>
    <message>
        <source>only where the server demands one</source>
        <translation>فقط إن طلبه الخادم</translation>
    </message>
    <message>
        <source>What you have been given for programs that sign in there, or the address of a document that describes Fireside. Mostly neither is needed.</source>
        <translation>ما أُعطيته للبرامج التي تسجّل الدخول هناك، أو عنوان وثيقة تصف Fireside. لا حاجة إلى أيّ منهما في الغالب.</translation>
    </message>
    <message>
        <source>Cli&amp;ent ID</source>
        <translation>&amp;معرّف العميل</translation>
    </message>
    <message>
        <source>Client &amp;secret</source>
        <translation>&amp;سر العميل</translation>
    </message>
    <message>
        <source>Sign o&amp;ut</source>
        <translation>تسجيل &amp;الخروج</translation>
    </message>
    <message>
        <source>You are signed in</source>
        <translation>سجّلت الدخول</translation>
    </message>
</context>
<context>
    <name>fireside::ToolServerTexts</name>
    <message>
        <source>off</source>
        <translation>متوقف</translation>
    </message>
    <message>
        <source>starts…</source>
        <translation>يبدأ…</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>جاهز</translation>
    </message>
    <message>
        <source>wants you to sign in at %1</source>
        <translation>يريد منك تسجيل الدخول عند %1</translation>
    </message>
</context>
<context>
    <name>fireside::ToolsButton</name>
    <message>
        <source>Tools that the model may call in this chat (Ctrl+T)</source>
        <translation>أدوات يجوز للنموذج استدعاؤها في هذه المحادثة (Ctrl+T)</translation>
    </message>
    <message>
        <source>No tools</source>
        <translation>لا أدوات</translation>
    </message>
    <message>
        <source>1 tool</source>
        <translation>أداة واحدة</translation>
    </message>
    <message>
        <source>%1 tools</source>
        <translation>الأدوات %1</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>الرموز: %1</translation>
    </message>
    <message>
        <source>%1 not there</source>
        <translation>%1 غير موجودة</translation>
    </message>
    <message>
        <source>Tools of this chat: %1</source>
        <translation>أدوات هذه المحادثة: %1</translation>
    </message>
</context>
<context>
    <name>fireside::ToolsDialog</name>
    <message>
        <source>Tools of this chat</source>
        <translation>أدوات هذه المحادثة</translation>
    </message>
    <message>
        <source>The model may ask to call what is ticked here. Each call is shown, and runs only when you allow it.</source>
        <translation>يجوز للنموذج أن يطلب استدعاء ما هو مؤشر هنا. يُعرض كل استدعاء ولا يعمل إلا حين تسمح به.</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>الأدوات</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>الأداة</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>الرموز</translation>
    </message>
    <message>
        <source>&amp;New chats begin with these tools</source>
        <translation>تبدأ المحادثات &amp;الجديدة بهذه الأدوات</translation>
    </message>
    <message>
        <source>&amp;Servers and folder…</source>
        <translation>&amp;الخوادم والمجلد…</translation>
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
        <translation>مضمّن</translation>
    </message>
    <message>
        <source>No tools: nothing is added to the prompt.</source>
        <translation>لا أدوات: لا يُضاف شيء إلى القراءة.</translation>
    </message>
    <message>
        <source>What they take is known when a model is loaded.</source>
        <translation>يُعرف ما تأخذه حين يُحمَّل نموذج.</translation>
    </message>
    <message>
        <source>Together they take %1 of the %2 tokens of context.</source>
        <translation>معًا تأخذ %1 من رموز السياق البالغة %2.</translation>
    </message>
    <message>
        <source>They are part of each prompt; the server counts what they take.</source>
        <translation>هي جزء من كل طلب؛ والخادم يعدّ ما تستهلكه.</translation>
    </message>
</context>
<context>
    <name>fireside::ToolsPage</name>
    <message>
        <source>Files for the built-in tools</source>
        <translation>ملفات للأدوات المضمّنة</translation>
    </message>
    <message>
        <source>Beside a calculator and a calendar the program can list, read and search the files of one folder, and nothing outside of it.</source>
        <translation>إلى جانب آلة حاسبة وتقويم يستطيع البرنامج سرد ملفات مجلد واحد وقراءتها والبحث فيها، ولا شيء خارجه.</translation>
    </message>
    <message>
        <source>&amp;Choose a folder…</source>
        <translation>&amp;اختيار مجلد…</translation>
    </message>
    <message>
        <source>&amp;No folder</source>
        <translation>&amp;بلا مجلد</translation>
    </message>
    <message>
        <source>Tool servers (MCP)</source>
        <translation>خوادم الأدوات (MCP)</translation>
    </message>
    <message>
        <source>Programs or addresses that offer tools. They are kept in %1, in the form that other programs use, too.</source>
        <translation>برامج أو عناوين تقدم أدوات. تُحفظ في %1 بالشكل الذي تستعمله برامج أخرى أيضًا.</translation>
    </message>
    <message>
        <source>Tool servers</source>
        <translation>خوادم الأدوات</translation>
    </message>
    <message>
        <source>A&amp;dd…</source>
        <translation>&amp;إضافة…</translation>
    </message>
    <message>
        <source>&amp;Edit…</source>
        <translation>&amp;تعديل…</translation>
    </message>
    <message>
        <source>Re&amp;move</source>
        <translation>&amp;إزالة</translation>
    </message>
    <message>
        <source>&amp;Start again</source>
        <translation>&amp;بدء ثانية</translation>
    </message>
    <message>
        <source>Tools of the server</source>
        <translation>أدوات الخادم</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>الأداة</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>ما تفعله</translation>
    </message>
    <message>
        <source>Permissions</source>
        <translation>الأذون</translation>
    </message>
    <message>
        <source>As&amp;k again for all of them</source>
        <translation>&amp;السؤال ثانية عنها كلها</translation>
    </message>
    <message>
        <source>No folder is chosen.</source>
        <translation>لم يُختر مجلد.</translation>
    </message>
    <message>
        <source>off</source>
        <translation>متوقف</translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>No tool runs unasked in every chat.</source>
        <translation>لا أداة تعمل دون سؤال في كل محادثة.</translation>
    </message>
    <message>
        <source>1 tool runs unasked in every chat.</source>
        <translation>أداة واحدة تعمل دون سؤال في كل محادثة.</translation>
    </message>
    <message>
        <source>%1 tools run unasked in every chat.</source>
        <translation>%1 من الأدوات تعمل دون سؤال في كل محادثة.</translation>
    </message>
    <message>
        <source>It is switched off.</source>
        <translation>هو متوقف.</translation>
    </message>
    <message>
        <source>%1 speaks version %2 of the protocol. Tools: %3.</source>
        <translation>يتكلم %1 الإصدار %2 من البروتوكول. الأدوات: %3.</translation>
    </message>
    <message>
        <source>Left out: %1.</source>
        <translation>تُركت: %1.</translation>
    </message>
    <message>
        <source>Its last lines:
%1</source>
        <translation>آخر أسطره:
%1</translation>
    </message>
    <message>
        <source>Folder for the built-in tools</source>
        <translation>مجلد للأدوات المضمّنة</translation>
    </message>
    <message>
        <source>Remove a tool server</source>
        <translation>إزالة خادم أدوات</translation>
    </message>
    <message>
        <source>Remove “%1” from mcp.json? Its program, or what runs at its address, stays as it is.</source>
        <translation>إزالة «%1» من mcp.json؟ برنامجه، أو ما يعمل في عنوانه، يبقى كما هو.</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>&amp;إزالة</translation>
    </message>
    <message>
        <source>Sign &amp;out</source>
        <translation>تسجيل &amp;الخروج</translation>
    </message>
    <message>
        <source>Sign &amp;in at %1</source>
        <translation>&amp;تسجيل الدخول عند %1</translation>
    </message>
    <message>
        <source>Waiting for the browser…</source>
        <translation>في انتظار المتصفح…</translation>
    </message>
    <message>
        <source>You are not signed in: %1.</source>
        <translation>لم تسجّل الدخول: %1.</translation>
    </message>
    <message>
        <source>You are signed in; the token is in the desktop&apos;s keyring.</source>
        <translation>سجّلت الدخول؛ والرمز في حلقة مفاتيح سطح المكتب.</translation>
    </message>
    <message>
        <source>You are signed in until Fireside is closed: %1.</source>
        <translation>سجّلت الدخول إلى أن يُغلق Fireside: %1.</translation>
    </message>
</context>
<context>
    <name>fireside::TranscriptTexts</name>
    <message>
        <source>[image: </source>
        <translation>[صورة: </translation>
    </message>
    <message>
        <source>Tool call: %1</source>
        <translation>استدعاء أداة: %1</translation>
    </message>
    <message>
        <source>You</source>
        <translation>أنت</translation>
    </message>
    <message>
        <source>Summary of what the model no longer sees</source>
        <translation>ملخص ما لم يعد النموذج يراه</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>المساعد</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>أُوقف</translation>
    </message>
    <message>
        <source>Interrupted: the program ended while this was written</source>
        <translation>انقطع: انتهى البرنامج أثناء كتابة هذا</translation>
    </message>
    <message>
        <source>The reply failed.</source>
        <translation>فشل الرد.</translation>
    </message>
    <message>
        <source>Cut off: the longest reply that the settings allow</source>
        <translation>قُطع: أطول رد تسمح به الإعدادات</translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>يفكر…</translation>
    </message>
    <message>
        <source>Thought for %1 s</source>
        <translation>فكر %1 ث</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>التفكير</translation>
    </message>
    <message>
        <source>The model no longer sees the messages above</source>
        <translation>لم يعد النموذج يرى الرسائل أعلاه</translation>
    </message>
    <message>
        <source>Show the whole message (%1)</source>
        <translation>إظهار الرسالة كلها (%1)</translation>
    </message>
    <message>
        <source>Show all %1 as plain text</source>
        <translation>إظهار كل %1 نصًا عاديًا</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 من %2</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>شيفرة</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>نُسخ</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>نسخ</translation>
    </message>
    <message>
        <source>Code, lines: %1</source>
        <translation>شيفرة، الأسطر: %1</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>المعطيات</translation>
    </message>
    <message>
        <source>Built in</source>
        <translation>مضمّن</translation>
    </message>
    <message>
        <source>Interrupted: the program ended</source>
        <translation>انقطع: انتهى البرنامج</translation>
    </message>
    <message>
        <source>Waits for your answer</source>
        <translation>ينتظر جوابك</translation>
    </message>
    <message>
        <source>Runs… %1 %</source>
        <translation>يعمل… %1 %</translation>
    </message>
    <message>
        <source>Runs…</source>
        <translation>يعمل…</translation>
    </message>
    <message>
        <source>Runs… %1</source>
        <translation>يعمل… %1</translation>
    </message>
    <message>
        <source>Done in %1 s</source>
        <translation>انتهى في %1 ث</translation>
    </message>
    <message>
        <source>The tool reports an error</source>
        <translation>تبلّغ الأداة عن خطأ</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>فشل</translation>
    </message>
    <message>
        <source>Not run</source>
        <translation>لم يُشغَّل</translation>
    </message>
    <message>
        <source>Cut off: the longest reply that the server allows</source>
        <translation>قُطع: أطول رد يسمح به الخادم</translation>
    </message>
    <message>
        <source>Cut off by the server&apos;s content filter</source>
        <translation>قطعه مرشح محتوى الخادم</translation>
    </message>
    <message>
        <source>Result: the first %1 of %2 characters</source>
        <translation>النتيجة: أول %1 من %2 حرفًا</translation>
    </message>
    <message>
        <source>Result: %1 characters</source>
        <translation>النتيجة: %1 حرفًا</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>تم</translation>
    </message>
</context>
<context>
    <name>fireside::TranscriptView</name>
    <message>
        <source>You</source>
        <translation>أنت</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>الرد</translation>
    </message>
    <message>
        <source>Reply in progress</source>
        <translation>رد قيد الكتابة</translation>
    </message>
    <message>
        <source>Stopped reply</source>
        <translation>رد موقوف</translation>
    </message>
    <message>
        <source>Interrupted reply</source>
        <translation>رد منقطع</translation>
    </message>
    <message>
        <source>Failed reply: %1</source>
        <translation>رد فاشل: %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Copy selection</source>
        <translation>نسخ التحديد</translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation>نسخ الرسالة</translation>
    </message>
    <message>
        <source>Select message</source>
        <translation>تحديد الرسالة</translation>
    </message>
    <message>
        <source>Open link…</source>
        <translation>فتح الرابط…</translation>
    </message>
    <message>
        <source>Copy link address</source>
        <translation>نسخ عنوان الرابط</translation>
    </message>
    <message>
        <source>Hide reasoning</source>
        <translation>إخفاء التفكير</translation>
    </message>
    <message>
        <source>Show reasoning</source>
        <translation>إظهار التفكير</translation>
    </message>
    <message>
        <source>How this reply was made…</source>
        <translation>كيف كُتب هذا الرد…</translation>
    </message>
    <message>
        <source>What else might stand here…</source>
        <translation>ماذا كان يمكن أن يكون هنا…</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>تعديل…</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>إعادة توليد</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>متابعة</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>الصيغة السابقة</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>الصيغة التالية</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>المحادثة</translation>
    </message>
    <message>
        <source>Jump to latest</source>
        <translation>القفز إلى الأحدث</translation>
    </message>
    <message>
        <source>Jump to the latest message</source>
        <translation>القفز إلى أحدث رسالة</translation>
    </message>
    <message>
        <source>Tool %1, %2</source>
        <translation>الأداة %1، %2</translation>
    </message>
    <message>
        <source>Copy selection as</source>
        <translation>نسخ التحديد بصيغة</translation>
    </message>
    <message>
        <source>Copy message as</source>
        <translation>نسخ الرسالة بصيغة</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>Plain text</source>
        <translation>نص عادي</translation>
    </message>
    <message>
        <source>HTML</source>
        <translation>HTML</translation>
    </message>
    <message>
        <source>With the speakers&apos; names</source>
        <translation>مع أسماء المتكلمين</translation>
    </message>
    <message>
        <source>Select all messages</source>
        <translation>تحديد كل الرسائل</translation>
    </message>
    <message>
        <source>Hide the result</source>
        <translation>إخفاء النتيجة</translation>
    </message>
    <message>
        <source>Show the result</source>
        <translation>إظهار النتيجة</translation>
    </message>
</context>
<context>
    <name>fireside::Transfer</name>
    <message>
        <source>only https and http addresses can be used</source>
        <translation>لا يمكن استعمال غير عناوين https وhttp</translation>
    </message>
    <message>
        <source>Fireside is offline</source>
        <translation>Fireside غير متصل</translation>
    </message>
    <message>
        <source>%1 answers with HTTP %2</source>
        <translation>يجيب %1 بـ HTTP %2</translation>
    </message>
    <message>
        <source>%1 sends it on to nowhere</source>
        <translation>يحيله %1 إلى لا مكان</translation>
    </message>
    <message>
        <source>%1 sends it on without end</source>
        <translation>يحيله %1 بلا نهاية</translation>
    </message>
    <message>
        <source>%1 sends it on to an address without encryption</source>
        <translation>يحيله %1 إلى عنوان بلا تعمية</translation>
    </message>
    <message>
        <source>%1 sends nothing, or too slowly</source>
        <translation>لا يرسل %1 شيئًا، أو يرسل ببطء شديد</translation>
    </message>
</context>
<context>
    <name>fireside::UnsavedDialog</name>
    <message>
        <source>Not saved</source>
        <translation>لم يُحفَظ</translation>
    </message>
    <message>
        <source>The disk can&apos;t be written, so these are only in memory. If you quit now, they are lost:</source>
        <translation>تتعذّر الكتابة على القرص، لذا فإن ما يلي في الذاكرة فقط. إذا أنهيت البرنامج الآن فسيُفقَد:</translation>
    </message>
    <message>
        <source>Saved in another folder, the chats can be opened with File → Import chats.</source>
        <translation>إذا حُفظت المحادثات في مجلد آخر أمكن فتحها من ملف ← استيراد محادثات.</translation>
    </message>
    <message>
        <source>Save to folder…</source>
        <translation>حفظ في مجلد…</translation>
    </message>
    <message>
        <source>Quit without saving</source>
        <translation>إنهاء دون حفظ</translation>
    </message>
    <message>
        <source>Unsent message “%1”</source>
        <translation>رسالة غير مرسلة «%1»</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>محادثة جديدة</translation>
    </message>
    <message>
        <source>Save to folder</source>
        <translation>حفظ في مجلد</translation>
    </message>
    <message>
        <source>Fireside chats %1</source>
        <translation>محادثات Fireside %1</translation>
    </message>
    <message>
        <source>“%1” could not be written: %2</source>
        <translation>تعذّرت كتابة «%1»: %2</translation>
    </message>
</context>
<context>
    <name>fireside::Welcome</name>
    <message>
        <source>%1 billion parameters</source>
        <translation>%1 مليار معامل</translation>
    </message>
    <message>
        <source>%1 million parameters</source>
        <translation>%1 مليون معامل</translation>
    </message>
    <message>
        <source>remembers %1 tokens</source>
        <translation>يتذكر %1 من الرموز</translation>
    </message>
    <message>
        <source>Welcome</source>
        <translation>مرحبًا</translation>
    </message>
    <message>
        <source>Try one of these</source>
        <translation>جرّب واحدًا من هذه</translation>
    </message>
    <message>
        <source>Add a model</source>
        <translation>إضافة نموذج</translation>
    </message>
    <message>
        <source>Sends this question</source>
        <translation>يرسل هذا السؤال</translation>
    </message>
    <message>
        <source>Welcome to Fireside</source>
        <translation>مرحبًا بك في Fireside</translation>
    </message>
    <message>
        <source>The built-in starter model (%1) is ready. It is only a demonstration, so that you can try the program at once: it knows a little about Fireside and is weak at everything else. For real work, add a bigger model. This model runs on this computer, and what you write to it stays here.</source>
        <translation>نموذج البداية المدمج (%1) جاهز. هو للعرض فقط، لتجرّب البرنامج فورًا: يعرف القليل عن Fireside وهو ضعيف في كل ما عداه. للعمل الجاد أضف نموذجًا أكبر. يعمل هذا النموذج على هذا الحاسوب، ويبقى ما تكتبه له هنا.</translation>
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
        <translation>بماذا تستطيع أن تساعدني؟</translation>
    </message>
    <message>
        <source>Explain how a rainbow forms</source>
        <translation>اشرح كيف يتكون قوس قزح</translation>
    </message>
    <message>
        <source>Write a Python function that reverses a string</source>
        <translation>اكتب دالة بلغة Python تعكس نصًا</translation>
    </message>
    <message>
        <source>Loading %1…</source>
        <translation>يجري تحميل %1…</translation>
    </message>
    <message>
        <source>You can write your first message meanwhile.</source>
        <translation>يمكنك أن تكتب رسالتك الأولى في هذه الأثناء.</translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation>لم يُحمَّل أي نموذج</translation>
    </message>
    <message>
        <source>A model is one file that ends in .gguf. Choose one that is already on this computer, or drop a file onto this window.</source>
        <translation>النموذج ملف واحد ينتهي بـ .gguf. اختر واحدًا موجودًا على هذا الحاسوب، أو أفلت ملفًا على هذه النافذة.</translation>
    </message>
    <message>
        <source>Download one, or choose from those on this computer (Ctrl+L)</source>
        <translation>نزّل واحدًا أو اختر من نماذج هذا الحاسوب (Ctrl+L)</translation>
    </message>
</context>
<context>
    <name>fireside::WriteFile</name>
    <message>
        <source>it is not a regular file</source>
        <translation>ليس ملفًا عاديًا</translation>
    </message>
</context>
<context>
    <name>fireside::formats::Texts</name>
    <message>
        <source>it is not whole JSON (%1 at byte %2)</source>
        <translation>ليس JSON كاملًا (%1 عند البايت %2)</translation>
    </message>
    <message>
        <source>it holds no chats that are known here</source>
        <translation>ليس فيه محادثات معروفة هنا</translation>
    </message>
    <message>
        <source>it is too large (%1 bytes)</source>
        <translation>أكبر مما ينبغي (%1 بايت)</translation>
    </message>
    <message>
        <source>it holds no chats</source>
        <translation>ليس فيه محادثات</translation>
    </message>
    <message>
        <source>“%1” was not imported: %2</source>
        <translation>لم يُستورد «%1»: %2</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>محادثة</translation>
    </message>
    <message>
        <source>Tool call: %1</source>
        <translation>استدعاء أداة: %1</translation>
    </message>
    <message>
        <source>You</source>
        <translation>أنت</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>المساعد</translation>
    </message>
    <message>
        <source>two messages are called “%1”</source>
        <translation>رسالتان باسم «%1»</translation>
    </message>
    <message>
        <source>the message “%1” answers one that is missing</source>
        <translation>تجيب الرسالة «%1» رسالة مفقودة</translation>
    </message>
    <message>
        <source>messages answer each other in a circle</source>
        <translation>تجيب الرسائل بعضها بعضًا في دائرة</translation>
    </message>
    <message>
        <source>%1 is no object</source>
        <translation>%1 ليست كائنًا</translation>
    </message>
    <message>
        <source>its “%1” is no list</source>
        <translation>«%1» فيه ليست قائمة</translation>
    </message>
    <message>
        <source>its “%1” is no object</source>
        <translation>«%1» فيه ليس كائنًا</translation>
    </message>
    <message>
        <source>a message has no version in view</source>
        <translation>لرسالة ما لا صيغة معروضة</translation>
    </message>
    <message>
        <source>“%1” is no time</source>
        <translation>«%1» ليس وقتًا</translation>
    </message>
    <message>
        <source>message %1 is damaged</source>
        <translation>الرسالة %1 تالفة</translation>
    </message>
    <message>
        <source>the message in view is missing</source>
        <translation>الرسالة المعروضة مفقودة</translation>
    </message>
    <message>
        <source>it was written by a newer program</source>
        <translation>كتبه برنامج أحدث</translation>
    </message>
    <message>
        <source>a version</source>
        <translation>صيغة</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>النتيجة</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>الأداة</translation>
    </message>
    <message>
        <source>the archive cannot be unpacked: %1</source>
        <translation>تعذّر فك الأرشيف: %1</translation>
    </message>
    <message>
        <source>the archive is damaged: %1</source>
        <translation>الأرشيف تالف: %1</translation>
    </message>
    <message>
        <source>what the archive unpacks to is too large (more than %1 bytes)</source>
        <translation>محتوى الأرشيف بعد فكه كبير جدًا (أكثر من %1 بايت)</translation>
    </message>
    <message>
        <source>the archive holds no conversations.json</source>
        <translation>لا يحتوي الأرشيف على conversations.json</translation>
    </message>
    <message>
        <source>it ends too early, or is damaged</source>
        <translation>ينتهي مبكرًا أو هو تالف</translation>
    </message>
    <message>
        <source>it is damaged: a list of %1 entries</source>
        <translation>هو تالف: قائمة من %1 من المدخلات</translation>
    </message>
    <message>
        <source>a tool&apos;s parameter is of a kind that is not known here</source>
        <translation>معامل إحدى الأدوات من نوع غير معروف هنا</translation>
    </message>
    <message>
        <source>it is damaged: messages within messages</source>
        <translation>هو تالف: رسائل داخل رسائل</translation>
    </message>
    <message>
        <source>it is damaged: a part called “%1”</source>
        <translation>هو تالف: جزء اسمه «%1»</translation>
    </message>
    <message>
        <source>it is damaged: a message called “%1”</source>
        <translation>هو تالف: رسالة اسمها «%1»</translation>
    </message>
    <message>
        <source>its format has version %1; versions %2 to %3 are known here</source>
        <translation>إصدار تنسيقه %1؛ والإصدارات المعروفة هنا من %2 إلى %3</translation>
    </message>
    <message>
        <source>it is not an object</source>
        <translation>ليس كائنًا</translation>
    </message>
    <message>
        <source>none of its messages can be read</source>
        <translation>لا يمكن قراءة أي من رسائلها</translation>
    </message>
    <message>
        <source>%1 was not imported: %2</source>
        <translation>لم يُستورَد %1: %2</translation>
    </message>
    <message>
        <source>“%1”, %2</source>
        <translation>«%1»، %2</translation>
    </message>
    <message>
        <source>chat %1 was not imported: %2</source>
        <translation>لم تُستورَد المحادثة %1: %2</translation>
    </message>
    <message>
        <source>chat %1 (“%2”) was not imported: %3</source>
        <translation>لم تُستورَد المحادثة %1 («%2»): %3</translation>
    </message>
</context>
<context>
    <name>fireside::mcp::Client</name>
    <message>
        <source>it does not say which tools it has</source>
        <translation>لا يقول أي أدوات لديه</translation>
    </message>
    <message>
        <source>it does not answer</source>
        <translation>لا يجيب</translation>
    </message>
    <message>
        <source>it speaks only versions of the protocol that Fireside does not know</source>
        <translation>لا يتكلم إلا إصدارات من البروتوكول لا يعرفها Fireside</translation>
    </message>
    <message>
        <source>it speaks version “%1” of the protocol, which Fireside does not know</source>
        <translation>يتكلم الإصدار «%1» من البروتوكول الذي لا يعرفه Fireside</translation>
    </message>
    <message>
        <source>its list of tools does not end; the first %1 are used</source>
        <translation>قائمة أدواته لا تنتهي؛ تُستعمل أول %1</translation>
    </message>
    <message>
        <source>there are two tools called “%1”</source>
        <translation>أداتان باسم «%1»</translation>
    </message>
    <message>
        <source>%1 (error %2)</source>
        <translation>%1 (الخطأ %2)</translation>
    </message>
    <message>
        <source>it refuses to begin: %1</source>
        <translation>يرفض البدء: %1</translation>
    </message>
    <message>
        <source>its tools could not be listed again: %1</source>
        <translation>تعذر سرد أدواته ثانية: %1</translation>
    </message>
    <message>
        <source>it refuses to list its tools: %1</source>
        <translation>يرفض سرد أدواته: %1</translation>
    </message>
    <message>
        <source>the server has forgotten the session</source>
        <translation>نسي الخادم الجلسة</translation>
    </message>
    <message>
        <source>no answer within %1 s</source>
        <translation>لا جواب خلال %1 ث</translation>
    </message>
    <message>
        <source>its server is not ready</source>
        <translation>خادمها غير جاهز</translation>
    </message>
    <message>
        <source>the user has not opened the page that the server demands</source>
        <translation>لم يفتح المستخدم الصفحة التي يطلبها الخادم</translation>
    </message>
</context>
<context>
    <name>fireside::mcp::HttpTransport</name>
    <message>
        <source>Fireside is offline</source>
        <translation>Fireside غير متصل</translation>
    </message>
    <message>
        <source>tools of %1</source>
        <translation>أدوات %1</translation>
    </message>
    <message>
        <source>its headers, which may hold keys, are not sent without encryption: the address must begin with https</source>
        <translation>ترويساته التي قد تحوي مفاتيح لا تُرسل بلا تعمية: يجب أن يبدأ العنوان بـ https</translation>
    </message>
    <message>
        <source>it wants its messages sent to another server</source>
        <translation>يريد أن تُرسل رسائله إلى خادم آخر</translation>
    </message>
    <message>
        <source>its stream has ended</source>
        <translation>انتهى دفقه</translation>
    </message>
    <message>
        <source>its answer is too long</source>
        <translation>جوابه أطول مما ينبغي</translation>
    </message>
    <message>
        <source>its answer broke off</source>
        <translation>انقطع جوابه</translation>
    </message>
    <message>
        <source>it does not answer as it should</source>
        <translation>لا يجيب كما ينبغي</translation>
    </message>
    <message>
        <source>its answer broke off %1 times</source>
        <translation>انقطع جوابه %1 مرات</translation>
    </message>
    <message>
        <source>the server wants to know who asks (HTTP %1): a header with a key can be given in its settings</source>
        <translation>يريد الخادم أن يعرف من يسأل (HTTP %1): يمكن إعطاء ترويسة بمفتاح في إعداداته</translation>
    </message>
    <message>
        <source>the server answers with HTTP %1</source>
        <translation>يجيب الخادم بـ HTTP %1</translation>
    </message>
</context>
<context>
    <name>fireside::mcp::ProgramTransport</name>
    <message>
        <source>the program “%1” was not found</source>
        <translation>لم يُعثر على البرنامج «%1»</translation>
    </message>
    <message>
        <source>“%1” cannot be started: %2</source>
        <translation>لا يمكن تشغيل «%1»: %2</translation>
    </message>
    <message>
        <source>its program was ended by a signal</source>
        <translation>أُنهي برنامجه بإشارة</translation>
    </message>
    <message>
        <source>its program ended with exit status %1</source>
        <translation>انتهى برنامجه بالحالة %1</translation>
    </message>
    <message>
        <source>%1; its last words: %2</source>
        <translation>%1؛ آخر كلماته: %2</translation>
    </message>
    <message>
        <source>its program does not read what it is sent</source>
        <translation>لا يقرأ برنامجه ما يُرسل إليه</translation>
    </message>
    <message>
        <source>its program writes a message of more than %1 MB</source>
        <translation>يكتب برنامجه رسالة أكبر من %1 م.ب</translation>
    </message>
</context>
</TS>
