/** Pairs of Go panics and errors with stacks. */
import { different, type ErrorPair, same } from './pair.ts'

const panic = (text: string, frames: readonly (readonly [string, string])[], goroutine = 1) => ({
  message: text,
  stack: [
    `panic: ${text}`,
    ...(text.includes('nil pointer')
      ? ['[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x6f2a1c]']
      : []),
    '',
    `goroutine ${goroutine} [running]:`,
    ...frames.flatMap(([name, place]) => [name, `\t${place}`]),
  ].join('\n'),
})

const NIL = 'runtime error: invalid memory address or nil pointer dereference'

const cart = (address: string, line: number, root: string) =>
  [
    ['runtime.gopanic({0x6b2c40, 0x8e1f60})', '/usr/local/go/src/runtime/panic.go:884 +0x213'],
    [
      `github.com/acme/shop/cart.(*Cart).Add(${address}, 0x2)`,
      `${root}/cart/cart.go:${line} +0x1d`,
    ],
    [
      `github.com/acme/shop/web.(*Server).handleAdd.func1({${address}})`,
      `${root}/web/server.go:${line + 3} +0x8a`,
    ],
    [
      'net/http.HandlerFunc.ServeHTTP(0xc000112000, {0x7f3b10, 0xc0001280e0})',
      '/usr/local/go/src/net/http/server.go:2109 +0x2f',
    ],
    [
      'created by net/http.(*Server).Serve in goroutine 1',
      '/usr/local/go/src/net/http/server.go:3086 +0x5cb',
    ],
  ] as const

const order = [
  ['github.com/acme/shop/order.Close(0x0)', '/src/order/order.go:9 +0x1d'],
  ['main.main()', '/src/main.go:20 +0x25'],
] as const

const wrapped = (message: string, functions: readonly string[], line: number) => ({
  type: '*errors.withStack',
  message,
  stack: [message, ...functions.flatMap((name) => [name, `\t/src/shop/app.go:${line}`])].join('\n'),
})

const vendored = (version: string) =>
  panic('sql: connection is closed', [
    [
      'github.com/jmoiron/sqlx.(*DB).MustExec(0xc0001)',
      `/root/go/pkg/mod/github.com/jmoiron/sqlx@${version}/sqlx.go:331 +0x1`,
    ],
    ['github.com/acme/shop/store.Save({0x1, 0x2})', '/src/store/store.go:12 +0x2'],
  ])

export const GO_PAIRS: readonly ErrorPair[] = [
  same(
    'other addresses, lines, goroutine and root',
    panic(NIL, cart('0xc0000a6000', 31, '/src')),
    panic(NIL, cart('0x0', 35, '/home/ci/go/shop'), 8812),
  ),
  same(
    'other index',
    panic('runtime error: index out of range [5] with length 3', cart('0x1', 31, '/src')),
    panic('runtime error: index out of range [12] with length 12', cart('0x1', 31, '/src')),
  ),
  same('other version of a library', vendored('v1.3.5'), vendored('v1.4.0')),
  same(
    'stacks of wrapped errors',
    wrapped('order 12: not found', ['main.load', 'main.run'], 5),
    wrapped('order 99: not found', ['main.load', 'main.run'], 9),
  ),
  same(
    'closures are numbered by the compiler',
    panic(NIL, [
      ['main.start.func1()', '/src/main.go:4 +0x1'],
      ['main.main()', '/src/main.go:9 +0x1'],
    ]),
    panic(NIL, [
      ['main.start.func2()', '/src/main.go:7 +0x1'],
      ['main.main()', '/src/main.go:9 +0x1'],
    ]),
  ),
  same(
    'recovered and panicked again',
    panic(`${NIL} [recovered]`, cart('0x1', 31, '/src')),
    panic(NIL, cart('0x1', 31, '/src')),
  ),
  same(
    'built with -trimpath',
    panic(NIL, cart('0x1', 31, '/src')),
    panic(NIL, [
      ['github.com/acme/shop/cart.(*Cart).Add(...)', 'github.com/acme/shop/cart/cart.go:31'],
      [
        'github.com/acme/shop/web.(*Server).handleAdd.func1({0x1})',
        'github.com/acme/shop/web/server.go:34 +0x8a',
      ],
      ['net/http.HandlerFunc.ServeHTTP(0xc1)', 'net/http/server.go:2220 +0x29'],
    ]),
  ),
  same(
    'type parameters',
    panic(NIL, [
      ['github.com/acme/kit.First[...]({0x0, 0x0, 0x0})', '/src/kit/list.go:8 +0x1'],
      ['main.main()', '/src/main.go:2 +0x1'],
    ]),
    panic(NIL, [
      ['github.com/acme/kit.First[go.shape.int]({0x0})', '/src/kit/list.go:8 +0x9'],
      ['main.main()', '/src/main.go:3 +0x1'],
    ]),
  ),
  different('same panic, other place', panic(NIL, cart('0x1', 31, '/src')), panic(NIL, order)),
  different(
    'same place, other panic',
    panic(NIL, cart('0x1', 31, '/src')),
    panic('runtime error: index out of range [5] with length 3', cart('0x1', 31, '/src')),
  ),
  different(
    'wrapped errors, other caller',
    wrapped('not found', ['main.load', 'main.run'], 5),
    wrapped('not found', ['main.load', 'main.watch'], 5),
  ),
  different(
    'same method of another type',
    panic(NIL, [
      ['github.com/acme/shop/cart.(*Cart).Close(0x1)', '/src/cart/cart.go:1'],
      ['main.main()', '/src/main.go:1'],
    ]),
    panic(NIL, [
      ['github.com/acme/shop/bank.(*Bank).Close(0x1)', '/src/bank/bank.go:1'],
      ['main.main()', '/src/main.go:1'],
    ]),
  ),
  different(
    'a fatal error of the runtime',
    {
      message: 'fatal error: all goroutines are asleep - deadlock!',
      stack:
        'fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\nmain.main()\n\t/src/main.go:8 +0x50',
    },
    {
      message: 'fatal error: concurrent map writes',
      stack:
        'fatal error: concurrent map writes\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:8 +0x50',
    },
  ),
]
