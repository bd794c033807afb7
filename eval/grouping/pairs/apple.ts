/** Pairs of Swift and Objective-C crashes, symbolicated. */
import { different, type ErrorPair, same, thrown } from './pair.ts'

const crash = (type: string, message: string, frames: readonly string[]) =>
  thrown(
    type,
    message,
    frames.map((frame, index) => `${String(index).padEnd(4)}${frame}`),
  )

const checkout = (address: string, offset: number, line: number, ios: number) =>
  crash('EXC_BREAKPOINT', 'Unexpectedly found nil while unwrapping an Optional value', [
    `libswiftCore.dylib                  0x00000001${address} _assertionFailure(_:_:file:line:flags:) + ${ios}`,
    `Shop                                0x0000000104${address} CartViewController.checkout(_:) + ${offset} (CartViewController.swift:${line})`,
    `Shop                                0x0000000104${address} @objc CartViewController.checkout(_:) + ${offset + 40} (<compiler-generated>:0)`,
    `UIKitCore                           0x00000001b9${address} -[UIApplication sendAction:to:from:forEvent:] + ${ios}`,
    `Shop                                0x0000000104${address} main + 68 (AppDelegate.swift:12)`,
  ])

const objective = (selector: string, offset: number, binary = 'Shop') =>
  crash(
    'NSInvalidArgumentException',
    '-[__NSCFString objectForKey:]: unrecognized selector sent to instance 0x600003a1',
    [
      'CoreFoundation                      0x00007fff2043fb6c __exceptionPreprocess + 242',
      'libobjc.A.dylib                     0x00007fff20177e78 objc_exception_throw + 48',
      `${binary}                           0x000000010ab1${offset} -[OrderStore ${selector}] + ${offset}`,
      `${binary}                           0x000000010ab2${offset} __36-[OrderStore refreshWithCompletion:]_block_invoke + ${offset + 2}`,
      'libdispatch.dylib                   0x00007fff20105603 _dispatch_call_block_and_release + 12',
    ],
  )

const closure = (number: number, offset: number) =>
  crash('Fatal error', 'Index out of range', [
    `Shop    0x0000000104a2c8f4 closure #${number} in ProductList.filter(by:) + ${offset} (ProductList.swift:88)`,
    `Shop    0x0000000104a2d001 specialized ProductList.filter(by:) + ${offset + 9} (ProductList.swift:80)`,
    'SwiftUI 0x00000001a1b2c3d4 closure #1 in ViewBodyAccessor.updateBody(of:changed:) + 1200',
  ])

const stripped = (base: string, offset: number, message: string) =>
  crash('SIGABRT', message, [
    `Shop    0x000000010${base}c8f4 0x10${base}0000 + ${offset}`,
    'libsystem_kernel.dylib  0x00000001d0a1b2c4 __pthread_kill + 8',
  ])

export const APPLE_PAIRS: readonly ErrorPair[] = [
  same(
    'names as the linker writes them',
    crash('Fatal error', 'x', [
      'Shop 0x0001 Cart.add(item:) + 12 (Cart.swift:10)',
      'Shop 0x0002 CartView.tap() + 4 (CartView.swift:3)',
    ]),
    crash('Fatal error', 'x', [
      'Shop 0x00a1 $s4Shop4CartC3add4itemySS_tF + 12',
      'Shop 0x00b2 $s4Shop8CartViewV3tapyyF + 4',
    ]),
  ),
  same(
    'other addresses, build and iOS',
    checkout('4a2c8f4', 148, 42, 300),
    checkout('9b31a00', 212, 47, 512),
  ),
  same('Objective-C, other offsets', objective('load:', 113), objective('load:', 245)),
  same('closures are numbered by the compiler', closure(1, 40), closure(2, 96)),
  same(
    'no symbols, same words',
    stripped('4a2', 18_676, 'Could not open store 12'),
    stripped('7b0', 22_100, 'Could not open store 99'),
  ),
  same(
    'async frames of Swift',
    crash('URLError', 'The network connection was lost.', [
      'Shop 0x0001 (1) await resume partial function for Api.load(_:) + 12 (Api.swift:10)',
      'Shop 0x0002 (2) suspend resume partial function for Cart.sync() + 4 (Cart.swift:3)',
    ]),
    crash('URLError', 'The network connection was lost.', [
      'Shop 0x00a1 (3) await resume partial function for Api.load(_:) + 44 (Api.swift:19)',
      'Shop 0x00b2 (1) suspend resume partial function for Cart.sync() + 8 (Cart.swift:5)',
    ]),
  ),
  same(
    'architecture and simulator',
    crash('Fatal error', 'x', [
      'Shop   0x0000000104a2c8f4 Cart.total.getter + 20 (Cart.swift:8)',
      'Shop   0x0000000104a2c999 CartView.body.getter + 80 (CartView.swift:14)',
    ]),
    crash('Fatal error', 'x', [
      'Shop   0x00007fff1a2c8f44 Cart.total.getter + 31 (Cart.swift:9)',
      'Shop   0x00007fff1a2c9999 CartView.body.getter + 99 (CartView.swift:17)',
    ]),
  ),
  different(
    'same assertion, other view controller',
    checkout('4a2c8f4', 148, 42, 300),
    crash('EXC_BREAKPOINT', 'Unexpectedly found nil while unwrapping an Optional value', [
      'libswiftCore.dylib  0x00000001a4a2c8f4 _assertionFailure(_:_:file:line:flags:) + 300',
      'Shop    0x0000000104a2c8f4 ProfileViewController.save(_:) + 148 (ProfileViewController.swift:42)',
      'UIKitCore    0x00000001b94a2c8f4 -[UIApplication sendAction:to:from:forEvent:] + 300',
    ]),
  ),
  different('same class, other selector', objective('load:', 113), objective('store:', 113)),
  different('same frames, other signal', closure(1, 40), {
    ...closure(1, 40),
    type: 'EXC_BAD_ACCESS',
  }),
  different(
    'no symbols, other words',
    stripped('4a2', 18_676, 'Could not open store'),
    stripped('4a2', 18_676, 'Watchdog fired'),
  ),
]
