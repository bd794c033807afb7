import { describe, expect, it } from 'vitest'
import { readStack } from './read-stack.ts'

/** Frames as `place:name`; those of libraries are in brackets. */
function framesOf(stack: string): string[] {
  return (readStack(stack)?.frames ?? []).map(({ place, name, is_app }) =>
    is_app ? `${place}:${name}` : `(${place}:${name})`,
  )
}

const text = (...lines: string[]): string => lines.join('\n')

describe('readStack', () => {
  it('reads V8: async, new, aliases, natives, node_modules', () => {
    const stack = text(
      'TypeError: x is undefined',
      '    at new Cart (https://a.example/main.3f2a1b9c.js:1:2)',
      '    at async Object.add [as onAdd] (https://a.example/main.3f2a1b9c.js?v=2:1:2)',
      '    at Array.map (<anonymous>)',
      '    at async Promise.all (index 0)',
      '    at C:\\Program Files (x86)\\app\\boot.js:3:4',
      '    at Layer.handle (/srv/node_modules/express/lib/layer.js:95:5)',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    )
    expect(framesOf(stack)).toEqual([
      'main:Cart',
      'main:add',
      'boot:',
      '(layer:handle)',
      '(task-queues:processTicksAndRejections)',
    ])
    expect(readStack(stack)).toMatchObject({ type: 'TypeError', message: 'x is undefined' })
  })

  it('reads Firefox and Safari alike', () => {
    const firefox = text(
      'Cart@https://a.example/main.js:1:2',
      'async*add@https://a.example/main.js:1:2',
      'add/<@https://a.example/main.js:1:2',
      'run@https://a.example/main.js line 5 > eval:1:1',
    )
    const safari = text(
      'Cart@https://a.example/main.js:1:2',
      'add@https://a.example/main.js:1:2',
      'map@[native code]',
      '@https://a.example/main.js:1:2',
      'global code@https://a.example/main.js:1:2',
    )
    expect(framesOf(firefox)).toEqual(['main:Cart', 'main:add', 'main:', 'main:run'])
    expect(framesOf(safari)).toEqual(['main:Cart', 'main:add', 'main:', 'main:'])
  })

  it('uses the innermost cause of Java and restores the frames it shares', () => {
    const stack = text(
      'Exception in thread "main" java.lang.RuntimeException: failed',
      '\tat com.acme.Job.run(Job.java:5)',
      '\tat java.base/java.lang.Thread.run(Thread.java:829)',
      'Caused by: java.sql.SQLException: gone',
      '\tat com.acme.Db$$EnhancerBySpringCGLIB$$8a7f.query(<generated>)',
      '\tat com.acme.Db.lambda$query$3(Db.kt:9)',
      '\tat com.acme.Db$1.access$000(Db.kt:9)',
      '\t... 2 more',
      '\tSuppressed: java.io.IOException: close',
      '\t\tat com.acme.Db.close(Db.kt:99)',
    )
    expect(framesOf(stack)).toEqual([
      'com.acme.Db:query',
      'com.acme.Db:query',
      'com.acme.Job:run',
      '(java.lang.Thread:run)',
    ])
    expect(readStack(stack)).toMatchObject({ type: 'java.sql.SQLException', is_cause: true })
  })

  it('does not multiply omitted frames', () => {
    const more = '\t... 99 more\n'
    const block = `Caused by: a.B: c\n\tat a.B.c(B.java:1)\n${more}${more}${more}`
    const stack = `a.B: c\n\tat a.B.c(B.java:1)\n${block.repeat(39)}`
    expect(framesOf(stack).length).toBeLessThan(200)
  })

  it('reverses Python and follows a direct cause', () => {
    const first = text(
      'Traceback (most recent call last):',
      '  File "/app/cli.py", line 1, in <module>',
      '  File "/app/venv/lib/python3.11/site-packages/click/core.py", line 7, in invoke',
      '  File "/app/Cart.py", line 9, in add',
      '    price = prices[sku]',
      "KeyError: 'a1'",
    )
    const second = text(
      'Traceback (most recent call last):',
      '  File "/app/x.py", line 1, in f',
      'acme.Bad: no',
    )
    expect(framesOf(first)).toEqual(['cart:add', '(core:invoke)', 'cli:'])
    const link = 'The above exception was the direct cause of the following exception:'
    expect(readStack(text(first, '', link, '', second))).toMatchObject({
      type: 'KeyError',
      is_cause: true,
    })
    const during = 'During handling of the above exception, another exception occurred:'
    expect(readStack(text(first, '', during, '', second))).toMatchObject({
      type: 'acme.Bad',
      is_cause: false,
    })
  })

  it('finds the methods of state machines and lambdas of .NET', () => {
    const stack = text(
      'Acme.JobException: failed',
      ' ---> System.IO.IOException (0x80131904): gone',
      '   at Acme.Shop.Cart.<AddAsync>d__4.MoveNext() in C:\\src\\Cart.cs:line 5',
      '   at Acme.Shop.Cart.<>c__DisplayClass4_0.<Add>b__1(Item item)',
      '   at Acme.Shop.Store`1.Find[TKey](TKey key)',
      '   --- End of inner exception stack trace ---',
      '   at System.Threading.Tasks.Task.Execute()',
    )
    expect(framesOf(stack)).toEqual(['Cart:AddAsync', 'Cart:Add', 'Store:Find', '(Task:Execute)'])
    expect(readStack(stack)).toMatchObject({ type: 'System.IO.IOException', is_cause: true })
    expect(framesOf('Oops\nPlayer.Move (System.Single x) (at Assets/Player.cs:12)')).toEqual([
      'Player:Move',
    ])
  })

  it('reads the first goroutine of Go without arguments, closures and offsets', () => {
    const stack = text(
      'panic: runtime error: index out of range [5] with length 3 [recovered]',
      '',
      'goroutine 7 [running]:',
      'panic({0x1, 0x2})',
      '\t/usr/local/go/src/runtime/panic.go:884 +0x213',
      'github.com/acme/shop/cart.(*Cart).Add.func1.2({0x7f, 0x1})',
      '\t/src/cart/cart.go:31 +0x1d',
      'github.com/jmoiron/sqlx.Get(...)',
      '\t/root/go/pkg/mod/github.com/jmoiron/sqlx@v1.3.5/sqlx.go:9',
      'created by main.start in goroutine 1',
      '\t/src/main.go:9 +0x5cb',
      '',
      'goroutine 8 [chan receive]:',
      'main.other()',
      '\t/src/main.go:1 +0x1',
    )
    expect(framesOf(stack)).toEqual(['(:panic)', 'cart:Cart.Add', '(sqlx:Get)', 'main:start'])
    expect(readStack(stack)?.type).toBe('runtime error: index out of range [<*>] with length <*>')
  })

  it('reads Swift and Objective-C, closures and thunks included', () => {
    const stack = text(
      '0   libswiftCore.dylib   0x00000001a4 _assertionFailure(_:_:) + 300',
      '1   My Shop   0x0000000104 closure #1 in CartView.pay(_:) + 148 (CartView.swift:42)',
      '2   My Shop   0x0000000104 @objc CartView.pay(_:) + 12 (<compiler-generated>:0)',
      '3   My Shop   0x0000000104 __20-[Order close:]_block_invoke + 4',
      '4   My Shop   0x0000000104a2c8f4 0x104a28000 + 18676',
      '5   My Shop   0x0000000104a2c8f4 $s4Shop4CartC3add4itemySS_tF + 44',
    )
    expect(framesOf(stack)).toEqual([
      '(:_assertionFailure)',
      ':CartView.pay',
      ':CartView.pay',
      ':Order close:',
      ':',
      ':Cart.add',
    ])
  })

  it('reads both forms of Dart', () => {
    const long = text(
      '#0      List.first (dart:core-patch/growable_array.dart:343:5)',
      '#1      new Cart.empty (package:shop/cart.dart:4:2)',
      '<asynchronous suspension>',
      '#2      Cart.add.<anonymous closure> (package:shop/cart.dart:9:7)',
      '#3      State.build (package:flutter/src/widgets/framework.dart:9:7)',
    )
    const terse = text(
      'dart:core  List.first',
      'package:shop/cart.dart 9:7   Cart.add.<fn>',
      'packages/shop/cart.dart 9:7  add',
      'dart-sdk/lib/async/zone.dart 1:1  run',
    )
    expect(framesOf(long)).toEqual([
      '(growable_array:List.first)',
      'cart:Cart.empty',
      'cart:Cart.add',
      '(framework:State.build)',
    ])
    expect(framesOf(terse)).toEqual([
      '(dart:core:List.first)',
      'cart:Cart.add',
      'cart:add',
      '(zone:run)',
    ])
  })

  it('reads PHP up to the following error', () => {
    const stack = text(
      'PHP Fatal error:  Uncaught PDOException: gone in /srv/Db.php:10',
      'Stack trace:',
      "#0 /srv/app/Cart.php(12): App\\Shop\\Cart->add('A1', Array)",
      '#1 [internal function]: App\\Kernel->run()',
      '#2 /srv/vendor/laravel/Pipe.php(9): Illuminate\\Pipe->{closure}()',
      '#3 {main}',
      '',
      'Next RuntimeException: failed in /srv/x.php:3',
      '#0 /srv/index.php(3): main()',
    )
    expect(framesOf(stack)).toEqual(['cart:Cart->add', '(:Kernel->run)', '(:{closure})'])
    expect(readStack(stack)).toMatchObject({ type: 'PDOException', is_cause: true })
  })

  it('returns undefined for text that is not a stack', () => {
    expect(
      readStack('Something went wrong\nwrite to help@example.com or call 12:30'),
    ).toBeUndefined()
  })
})

describe('a long stack of JavaScript', () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, n) => `    at step${n} (https://a.example/app.js:${n}:1)`)
  const namesOf = (lines: string[]) =>
    readStack(['TypeError: x', ...lines].join('\n'))?.frames.map(({ name }) => name)

  it('is read only until the rest cannot change the group', () => {
    expect(namesOf(named(150))).toEqual(['step0', 'step1', 'step2', 'step3', 'step4'])
  })

  it('is read to its end while a short name can turn out to be minified', () => {
    const lines = ['    at abc (https://a.example/app.js:1:1)', ...named(20)]
    expect(namesOf(lines)?.[0]).toBe('abc')
    expect(namesOf([...lines, '    at b (https://a.example/app.js:1:2)'])?.[0]).toBe('')
  })

  it('is read to its end while a cause can follow', () => {
    const cause = ['  [cause]: RangeError: y', '    at deep (https://a.example/b.js:1:1)']
    expect(namesOf([...named(20), ...cause])).toEqual(['deep'])
  })
})
