/** Pairs of JavaScript errors: three browsers' engines, bundles, Node and React Native. */
import { different, type ErrorPair, same, thrown } from './pair.ts'

const SITE = 'https://shop.example.com/assets'

const total = (file: string, line: number) =>
  thrown('TypeError', "Cannot read properties of undefined (reading 'price')", [
    "TypeError: Cannot read properties of undefined (reading 'price')",
    `    at computeTotal (${SITE}/${file}:${line}:17)`,
    `    at Array.map (<anonymous>)`,
    `    at Cart.refresh (${SITE}/${file}:${line + 40}:22)`,
    `    at onQuantityChange (${SITE}/${file}:${line + 90}:5)`,
    `    at HTMLInputElement.<anonymous> (${SITE}/${file}:${line + 200}:9)`,
  ])

const totalFirefox = thrown('TypeError', 'can\'t access property "price", t is undefined', [
  `computeTotal@${SITE}/main.77ab01ff.js:2:18311`,
  `refresh@${SITE}/main.77ab01ff.js:2:18822`,
  `onQuantityChange@${SITE}/main.77ab01ff.js:2:19001`,
  `@${SITE}/main.77ab01ff.js:2:20417`,
  '',
])

const totalSafari = thrown('TypeError', "undefined is not an object (evaluating 't.price')", [
  `computeTotal@${SITE}/main.77ab01ff.js:2:18318`,
  'map@[native code]',
  `refresh@${SITE}/main.77ab01ff.js:2:18829`,
  `onQuantityChange@${SITE}/main.77ab01ff.js:2:19008`,
  `@${SITE}/main.77ab01ff.js:2:20424`,
])

const LOGIN_V8 = thrown('Error', 'Login failed', [
  'Error: Login failed',
  `    at new Session (${SITE}/auth-BnCq3x2_.js:1:300)`,
  `    at async signIn (${SITE}/auth-BnCq3x2_.js:1:991)`,
  `    at async Object.submit [as onSubmit] (${SITE}/login-D4kPz_9w.js:4:12)`,
])

const LOGIN_GECKO = thrown('Error', 'Login failed', [
  `Session@${SITE}/auth-x8Tr0LmA.js:1:305`,
  `async*signIn@${SITE}/auth-x8Tr0LmA.js:1:999`,
  `submit@${SITE}/login-QQz71kd-.js:4:20`,
])

const apiError = (caller: string, file: string, type = 'ApiError') =>
  thrown(type, 'Request failed with status code 500', [
    `${type}: Request failed with status code 500`,
    '    at request (https://app.example.com/js/api.4fe1a09c.js:10:11)',
    `    at ${caller} (https://app.example.com/js/${file}:88:15)`,
    '    at async onClick (https://app.example.com/js/button.1c9fe0aa.js:7:3)',
  ])

const nodeError = (root: string, version: string, line: number) =>
  thrown('Error', 'Order 8812 not found', [
    'Error: Order 8812 not found',
    `    at OrderStore.find (${root}/dist/orders/store.js:${line}:13)`,
    `    at async closeOrder (${root}/dist/orders/close.js:${line + 3}:17)`,
    `    at async ${root}/node_modules/fastify/lib/handleRequest.js:${version}:5`,
    '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
  ])

const minified = (file: string, names: readonly [string, string], message: string) =>
  thrown('TypeError', message, [
    `TypeError: ${message}`,
    `    at ${names[0]} (https://cdn.example.com/static/js/${file}:2:91823)`,
    `    at ${names[1]} (https://cdn.example.com/static/js/${file}:2:77120)`,
    `    at https://cdn.example.com/static/js/${file}:2:1200`,
  ])

const hermes = (line: number) =>
  thrown('TypeError', 'undefined is not a function', [
    'TypeError: undefined is not a function',
    `    at renderBasket (address at index.android.bundle:1:${line})`,
    `    at BasketScreen (address at index.android.bundle:1:${line + 500})`,
    '    at callReactNativeMicrotasks (native)',
  ])

const webpack = (query: string, line: number) =>
  thrown('RangeError', 'Invalid array length', [
    'RangeError: Invalid array length',
    `    at padRows (webpack:///./src/grid/rows.ts?${query}:${line}:9)`,
    `    at Grid.render (webpack:///./src/grid/Grid.tsx?${query}:${line + 5}:11)`,
    '    at renderWithHooks (webpack:///./node_modules/react-dom/cjs/react-dom.development.js:14985:18)',
  ])

export const JAVASCRIPT_PAIRS: readonly ErrorPair[] = [
  same(
    'minified names of three letters',
    minified('app.8a7d6c5b.js', ['t', 'Xke'], 'No rows in 12'),
    minified('app.90ab12cd.js', ['n', 'aBt'], 'No rows in 7'),
  ),
  same(
    'other bundle hash and lines',
    total('main.3f2a1b9c.js', 100),
    total('main.77ab01ff.js', 131),
  ),
  same('Chrome and Firefox', total('main.3f2a1b9c.js', 100), totalFirefox),
  same('Chrome and Safari', total('main.3f2a1b9c.js', 100), totalSafari),
  same('Firefox and Safari', totalFirefox, totalSafari),
  same('constructor, async and aliases in two engines', LOGIN_V8, LOGIN_GECKO),
  same(
    'server paths and versions differ',
    nodeError('/srv/app', '14', 40),
    nodeError('/home/ci/build-77', '19', 44),
  ),
  same('Windows and Linux paths', nodeError('/srv/app', '14', 40), nodeError('C:\\app', '14', 40)),
  same('webpack module queries', webpack('ab12', 12), webpack('9f0e', 19)),
  same('React Native offsets', hermes(120_331), hermes(120_987)),
  same(
    'minified names of two builds',
    minified(
      'checkout.8a7d6c5b.chunk.js',
      ['t', 'Xn'],
      "Cannot read properties of null (reading 'id')",
    ),
    minified(
      'checkout.0011aaff.chunk.js',
      ['e', 'kr'],
      "Cannot read properties of null (reading 'id')",
    ),
  ),
  same(
    'recursion of other depth',
    thrown('RangeError', 'Maximum call stack size exceeded', [
      'RangeError: Maximum call stack size exceeded',
      ...Array.from({ length: 6 }, () => '    at walkTree (/srv/app/tree.js:4:10)'),
      '    at openTree (/srv/app/tree.js:20:3)',
    ]),
    thrown('RangeError', 'Maximum call stack size exceeded', [
      'RangeError: Maximum call stack size exceeded',
      ...Array.from({ length: 9 }, () => '    at walkTree (/srv/app/tree.js:4:10)'),
      '    at openTree (/srv/app/tree.js:22:3)',
    ]),
  ),
  same(
    'only a message, in three engines: Chrome and Safari',
    { type: 'TypeError', message: "Cannot read properties of undefined (reading 'email')" },
    { type: 'TypeError', message: "undefined is not an object (evaluating 'user.profile.email')" },
  ),
  same(
    'only a message, Chrome and Firefox',
    { type: 'TypeError', message: "Cannot read properties of undefined (reading 'email')" },
    { type: 'TypeError', message: 'can\'t access property "email", user.profile is undefined' },
  ),
  same(
    'with and without the words of window.onerror',
    { message: 'Uncaught ReferenceError: gtag is not defined' },
    { type: 'ReferenceError', message: 'gtag is not defined' },
  ),
  same(
    'the stack in the message',
    {
      message:
        'Error: boom 12\n    at loadCart (https://a.example/app.js:1:2)\n    at start (https://a.example/app.js:9:2)',
    },
    {
      type: 'Error',
      message: 'boom 13',
      stack:
        'Error: boom 13\n    at loadCart (https://a.example/app.js:1:2)\n    at start (https://a.example/app.js:9:2)',
    },
  ),
  same(
    'chunk number, version and query of the file',
    thrown('Error', 'x', [
      'Error: x',
      '    at drawChart (https://a.example/js/charts-4.2.1.min.js?v=331:1:5)',
      '    at plot (https://a.example/js/2817.chunk.js:3:1)',
    ]),
    thrown('Error', 'x', [
      'Error: x',
      '    at drawChart (https://a.example/js/charts-4.3.0.min.js?v=402:1:9)',
      '    at plot (https://a.example/js/904.chunk.js:3:7)',
    ]),
  ),
  different(
    'same words, other place',
    total('main.3f2a1b9c.js', 100),
    thrown('TypeError', "Cannot read properties of undefined (reading 'price')", [
      "TypeError: Cannot read properties of undefined (reading 'price')",
      `    at renderReceipt (${SITE}/main.3f2a1b9c.js:700:17)`,
      `    at Receipt.open (${SITE}/main.3f2a1b9c.js:730:22)`,
    ]),
  ),
  different(
    'same wrapper, other caller',
    apiError('loadOrders', 'orders.91aa02bc.js'),
    apiError('saveProfile', 'profile.7bb1c2d3.js'),
  ),
  different(
    'same frames, other type',
    apiError('loadOrders', 'orders.91aa02bc.js'),
    apiError('loadOrders', 'orders.91aa02bc.js', 'TimeoutError'),
  ),
  different(
    'same name in another file',
    thrown('Error', 'bad', [
      'Error: bad',
      '    at validate (/srv/app/coupon.js:1:2)',
      '    at run (/srv/app/index.js:1:2)',
    ]),
    thrown('Error', 'bad', [
      'Error: bad',
      '    at validate (/srv/app/address.js:1:2)',
      '    at run (/srv/app/index.js:1:2)',
    ]),
  ),
  different(
    'minified, other property',
    minified('app.8a7d6c5b.js', ['t', 'n'], "Cannot read properties of null (reading 'id')"),
    minified('app.8a7d6c5b.js', ['t', 'n'], "Cannot read properties of null (reading 'total')"),
  ),
  different(
    'minified, other chunk',
    minified('checkout.8a7d6c5b.js', ['t', 'n'], "Cannot read properties of null (reading 'id')"),
    minified('account.8a7d6c5b.js', ['t', 'n'], "Cannot read properties of null (reading 'id')"),
  ),
  different(
    'only frames of the runtime, other message',
    thrown('Error', 'connect ECONNREFUSED 10.0.0.7:5432', [
      'Error: connect ECONNREFUSED 10.0.0.7:5432',
      '    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1595:16)',
    ]),
    thrown('Error', 'connect ETIMEDOUT 10.0.0.7:5432', [
      'Error: connect ETIMEDOUT 10.0.0.7:5432',
      '    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1595:16)',
    ]),
  ),
  same(
    'only frames of the runtime, other address and Node version',
    thrown('Error', 'connect ECONNREFUSED 10.0.0.7:5432', [
      'Error: connect ECONNREFUSED 10.0.0.7:5432',
      '    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1595:16)',
    ]),
    thrown('Error', 'connect ECONNREFUSED 192.168.4.1:5432', [
      'Error: connect ECONNREFUSED 192.168.4.1:5432',
      '    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16)',
    ]),
  ),
  different(
    'React errors by number',
    {
      type: 'Error',
      message: 'Minified React error #418; visit https://react.dev/errors/418 for the full message',
    },
    {
      type: 'Error',
      message: 'Minified React error #310; visit https://react.dev/errors/310 for the full message',
    },
  ),
]
