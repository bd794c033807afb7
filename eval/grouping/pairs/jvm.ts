/** Pairs of Java, Kotlin and Android errors. */
import { different, type ErrorPair, same, thrown } from './pair.ts'

const repository = (line: number, id: number, thread = 'http-nio-8080-exec-1') =>
  thrown('com.acme.shop.OrderNotFoundException', `Order ${id} was not found`, [
    `Exception in thread "${thread}" com.acme.shop.OrderNotFoundException: Order ${id} was not found`,
    `\tat com.acme.shop.orders.OrderRepository.load(OrderRepository.java:${line})`,
    `\tat com.acme.shop.orders.OrderService.lambda$close$3(OrderService.java:${line + 8})`,
    '\tat java.base/java.util.Optional.map(Optional.java:260)',
    `\tat com.acme.shop.orders.OrderService.close(OrderService.java:${line + 7})`,
    '\tat jdk.internal.reflect.GeneratedMethodAccessor112.invoke(Unknown Source)',
    '\tat org.springframework.web.servlet.DispatcherServlet.doDispatch(DispatcherServlet.java:1089)',
  ])

const wrapped = (outer: string, causeType: string, causePlace: string, line = 31) =>
  thrown('java.lang.RuntimeException', outer, [
    `java.lang.RuntimeException: ${outer}`,
    `\tat com.acme.jobs.JobRunner.run(JobRunner.java:${line})`,
    '\tat com.acme.jobs.Scheduler.tick(Scheduler.java:77)',
    '\tat java.base/java.lang.Thread.run(Thread.java:829)',
    `Caused by: ${causeType}: something`,
    `\tat com.acme.jobs.${causePlace}(${causePlace.split('.')[0]}.java:${line + 200})`,
    `\tat com.acme.jobs.JobRunner.run(JobRunner.java:${line - 2})`,
    '\t... 2 more',
  ])

const proxy = (suffix: string, lambda: string) =>
  thrown('java.lang.IllegalStateException', 'No open transaction', [
    'java.lang.IllegalStateException: No open transaction',
    '\tat com.acme.bank.Ledger.post(Ledger.java:18)',
    `\tat com.acme.bank.Ledger$$EnhancerBySpringCGLIB$$${suffix}.post(<generated>)`,
    `\tat com.acme.bank.Transfer$$Lambda$${lambda}.run(Unknown Source)`,
    '\tat com.acme.bank.Transfer.execute(Transfer.java:44)',
  ])

const coroutine = (dispatcher: string, line: number) =>
  thrown(
    'kotlin.UninitializedPropertyAccessException',
    'lateinit property cart has not been initialized',
    [
      'kotlin.UninitializedPropertyAccessException: lateinit property cart has not been initialized',
      `\tat com.acme.app.CartViewModel$refresh$1.invokeSuspend(CartViewModel.kt:${line})`,
      '\tat kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt:33)',
      `\tat ${dispatcher}`,
      '\tat android.os.Handler.handleCallback(Handler.java:938)',
    ],
  )

const android = (maker: string) =>
  thrown(
    'java.lang.NullPointerException',
    "Attempt to invoke virtual method 'int java.lang.String.length()' on a null object reference",
    [
      'java.lang.RuntimeException: Unable to start activity ComponentInfo{com.acme.app/com.acme.app.MainActivity}',
      '\tat android.app.ActivityThread.performLaunchActivity(ActivityThread.java:3449)',
      `\tat ${maker}`,
      "Caused by: java.lang.NullPointerException: Attempt to invoke virtual method 'int java.lang.String.length()' on a null object reference",
      '\tat com.acme.app.MainActivity.showName(MainActivity.kt:58)',
      '\tat com.acme.app.MainActivity.onCreate(MainActivity.kt:31)',
      '\tat android.app.Activity.performCreate(Activity.java:8000)',
      '\t... 11 more',
    ],
  )

const timeout = (host: string, frame: string) =>
  thrown('java.net.SocketTimeoutException', 'connect timed out', [
    'java.net.SocketTimeoutException: connect timed out',
    '\tat java.base/java.net.PlainSocketImpl.socketConnect(Native Method)',
    '\tat okhttp3.internal.connection.RealConnection.connectSocket(RealConnection.kt:295)',
    `\tat ${frame}`,
    `\tat com.acme.net.Api.call(Api.kt:${host.length})`,
  ])

const hidden = (cause: string) =>
  thrown('com.acme.StartException', 'Could not start', [
    'com.acme.StartException: Could not start',
    '\tat com.acme.Boot.start(Boot.java:10)',
    '\tat com.acme.Main.main(Main.java:5)',
    `Caused by: ${cause}`,
    '\tat java.base/java.io.FileInputStream.open0(Native Method)',
    '\tat java.base/java.io.FileInputStream.<init>(FileInputStream.java:157)',
    '\t... 2 more',
  ])

const obfuscated = (method: string, message: string) =>
  thrown('java.lang.IllegalArgumentException', message, [
    `java.lang.IllegalArgumentException: ${message}`,
    `\tat ${method}(Unknown Source:12)`,
    '\tat android.os.Handler.dispatchMessage(Handler.java:106)',
  ])

export const JVM_PAIRS: readonly ErrorPair[] = [
  same('archives behind the frames', repository(42, 1), {
    ...repository(42, 2),
    stack: repository(42, 2).stack?.replaceAll('.java:42)', '.java:42) ~[shop-1.2.jar:1.2]'),
  }),
  same('other order, line and thread', repository(42, 8812), repository(47, 91_002, 'worker-19')),
  same(
    'generated proxies and lambdas',
    proxy('8a7f1c2d', '512/0x0000000800c8d440'),
    proxy('1b22e09f', '97/0x00007f00a1'),
  ),
  same(
    'a coroutine on two dispatchers',
    coroutine('kotlinx.coroutines.DispatchedTask.run(DispatchedTask.kt:106)', 20),
    coroutine('kotlinx.coroutines.EventLoopImplBase.processNextEvent(EventLoop.common.kt:274)', 23),
  ),
  same(
    'devices of two makers',
    android('android.app.ActivityThread.handleLaunchActivity(ActivityThread.java:3601)'),
    android('com.samsung.android.app.Loader.launch(Loader.java:12)'),
  ),
  same(
    'the same cause under other words',
    wrapped('Job 12 failed', 'java.lang.ArithmeticException', 'Rates.convert'),
    wrapped('Nightly run aborted', 'java.lang.ArithmeticException', 'Rates.convert', 35),
  ),
  same(
    'file name in the message of the cause',
    hidden('java.io.FileNotFoundException: /etc/acme/a.conf (No such file or directory)'),
    hidden('java.io.FileNotFoundException: /opt/acme/b.conf (No such file or directory)'),
  ),
  same(
    'library frames moved',
    timeout('a', 'okhttp3.internal.http.RealInterceptorChain.proceed(RealInterceptorChain.kt:109)'),
    timeout('abc', 'okhttp3.internal.connection.ExchangeFinder.find(ExchangeFinder.kt:226)'),
  ),
  same(
    'module prefixes of the loader',
    thrown('java.lang.Error', 'x', [
      'java.lang.Error: x',
      '\tat app//com.acme.A.go(A.java:1)',
      '\tat com.acme.B.go(B.java:2)',
    ]),
    thrown('java.lang.Error', 'x', [
      'java.lang.Error: x',
      '\tat com.acme.A.go(A.java:1)',
      '\tat com.acme.B.go(B.java:2)',
    ]),
  ),
  same(
    'type with and without package',
    { ...repository(42, 1), type: 'OrderNotFoundException' },
    repository(42, 2),
  ),
  same(
    'suppressed error while closing',
    thrown('java.io.IOException', 'write', [
      'java.io.IOException: write',
      '\tat com.acme.Out.flush(Out.java:9)',
      '\tat com.acme.Out.close(Out.java:19)',
    ]),
    thrown('java.io.IOException', 'write', [
      'java.io.IOException: write',
      '\tat com.acme.Out.flush(Out.java:9)',
      '\tat com.acme.Out.close(Out.java:19)',
      '\tSuppressed: java.lang.IllegalStateException: closed',
      '\t\tat com.acme.Pool.give(Pool.java:3)',
    ]),
  ),
  same(
    'names removed by R8, two builds',
    obfuscated('a.b.c.d', 'Expected a colour but was 12'),
    obfuscated('u3.k.a', 'Expected a colour but was 99'),
  ),
  different(
    'same wrapper, other cause',
    wrapped('Job failed', 'java.lang.ArithmeticException', 'Rates.convert'),
    wrapped('Job failed', 'java.sql.SQLException', 'Export.write'),
  ),
  different(
    'same place, other cause type',
    wrapped('Job failed', 'java.lang.ArithmeticException', 'Rates.convert'),
    wrapped('Job failed', 'java.lang.NullPointerException', 'Rates.convert'),
  ),
  different(
    'hidden frames, other cause',
    hidden('java.io.FileNotFoundException: /a (No such file or directory)'),
    hidden('java.net.UnknownHostException: db.internal'),
  ),
  different(
    'same message, other class',
    thrown('java.lang.IllegalStateException', 'closed', [
      'java.lang.IllegalStateException: closed',
      '\tat com.acme.db.Pool.take(Pool.java:5)',
    ]),
    thrown('java.lang.IllegalStateException', 'closed', [
      'java.lang.IllegalStateException: closed',
      '\tat com.acme.mq.Channel.send(Channel.java:5)',
    ]),
  ),
  different(
    'names removed by R8, other words',
    obfuscated('a.b.c.d', 'Expected a colour but was 12'),
    obfuscated('a.b.c.d', 'Cannot parse date'),
  ),
  different(
    'same helper, other user of it',
    thrown('java.lang.NullPointerException', 'id', [
      'java.lang.NullPointerException: id',
      '\tat java.base/java.util.Objects.requireNonNull(Objects.java:233)',
      '\tat com.acme.users.User.of(User.java:8)',
    ]),
    thrown('java.lang.NullPointerException', 'id', [
      'java.lang.NullPointerException: id',
      '\tat java.base/java.util.Objects.requireNonNull(Objects.java:233)',
      '\tat com.acme.carts.Cart.of(Cart.java:8)',
    ]),
  ),
]
