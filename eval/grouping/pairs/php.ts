/** Pairs of PHP errors. */
import { different, type ErrorPair, same, thrown } from './pair.ts'

const coupon = (root: string, line: number, argument: string) =>
  thrown('InvalidArgumentException', `Coupon ${argument} has expired`, [
    `#0 ${root}/app/Services/CartService.php(${line}): App\\Services\\CouponService->apply('${argument}')`,
    `#1 ${root}/app/Http/Controllers/CartController.php(${line + 10}): App\\Services\\CartService->applyCoupon(Object(App\\Cart), '${argument}')`,
    `#2 [internal function]: App\\Http\\Controllers\\CartController->store(Object(Request))`,
    `#3 ${root}/vendor/laravel/framework/src/Illuminate/Routing/Controller.php(54): call_user_func_array(Array, Array)`,
    '#4 {main}',
  ])

const fatal = (root: string, line: number) => ({
  type: 'TypeError',
  message: 'Uncaught TypeError: price(): Argument #1 must be of type int, string given',
  stack: [
    `PHP Fatal error:  Uncaught TypeError: price(): Argument #1 must be of type int, string given, called in ${root}/cart.php on line ${line} and defined in ${root}/price.php:3`,
    'Stack trace:',
    `#0 ${root}/cart.php(${line}): price('12 EUR')`,
    `#1 ${root}/index.php(9): total(Array)`,
    '#2 {main}',
    `  thrown in ${root}/price.php on line 3`,
  ].join('\n'),
})

const next = (inner: string, place: string, outer: string) =>
  thrown('RuntimeException', outer, [
    `${inner}: low in /srv/app/Db.php:10`,
    'Stack trace:',
    `#0 /srv/app/${place}.php(22): App\\Db->query('SELECT 1')`,
    `#1 /srv/app/Report.php(30): App\\${place}->rows()`,
    '#2 {main}',
    '',
    `Next RuntimeException: ${outer} in /srv/app/Report.php:33`,
    'Stack trace:',
    '#0 /srv/index.php(3): App\\Report->build()',
    '#1 {main}',
  ])

const closure = (name: string) =>
  thrown('Error', 'Call to a member function id() on null', [
    `#0 /srv/app/routes/web.php(12): ${name}(Object(Request))`,
    '#1 /srv/app/Kernel.php(80): App\\Kernel->dispatch()',
    '#2 {main}',
  ])

export const PHP_PAIRS: readonly ErrorPair[] = [
  same(
    'other root, line and argument',
    coupon('/var/www/html', 30, 'SUMMER24'),
    coupon('/home/forge/releases/20260801', 33, 'WINTER9'),
  ),
  same('fatal errors of two releases', fatal('/srv/r1', 14), fatal('/srv/r2', 19)),
  same(
    'closures before and after 8.4',
    closure('App\\{closure}'),
    closure('App\\{closure:/srv/app/routes/web.php:10}'),
  ),
  same(
    'the same first error',
    next('PDOException', 'OrderQuery', 'Report 1 failed'),
    next('PDOException', 'OrderQuery', 'Could not build the report'),
  ),
  same(
    'type with and without namespace',
    { ...coupon('/srv', 1, 'A1'), type: '\\App\\InvalidArgumentException' },
    coupon('/srv', 1, 'B2'),
  ),
  same('Windows paths', coupon('/srv', 1, 'A1'), {
    ...coupon('/srv', 1, 'A1'),
    stack: coupon('C:\\srv', 1, 'A1').stack?.replaceAll('/', '\\'),
  }),
  different(
    'same message, other service',
    coupon('/srv', 1, 'A1'),
    thrown('InvalidArgumentException', 'Coupon A1 has expired', [
      "#0 /srv/app/Console/Commands/Remind.php(20): App\\Mail\\CouponMail->build('A1')",
      '#1 /srv/app/Console/Kernel.php(9): App\\Console\\Commands\\Remind->handle()',
      '#2 {main}',
    ]),
  ),
  different(
    'other first error',
    next('PDOException', 'OrderQuery', 'Report failed'),
    next('RedisException', 'CacheQuery', 'Report failed'),
  ),
  different('same frames, other type', coupon('/srv', 1, 'A1'), {
    ...coupon('/srv', 1, 'A1'),
    type: 'LogicException',
  }),
  different(
    'nothing but {main}, other words',
    thrown('Error', 'Class "Foo" not found', ['#0 {main}']),
    thrown('Error', 'Undefined constant "BAR"', ['#0 {main}']),
  ),
]
