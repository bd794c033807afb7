/** Pairs of Dart and Flutter errors. */
import { different, type ErrorPair, same, thrown } from './pair.ts'

const bloc = (line: number, flutter: number, type = 'StateError') =>
  thrown(type, 'Bad state: No element', [
    '#0      List.first (dart:core-patch/growable_array.dart:343:5)',
    `#1      CartBloc._onItemAdded (package:shop/cart/cart_bloc.dart:${line}:24)`,
    '<asynchronous suspension>',
    `#2      CartBloc.add.<anonymous closure> (package:shop/cart/cart_bloc.dart:${line + 20}:7)`,
    `#3      _InkResponseState.handleTap (package:flutter/src/material/ink_well.dart:${flutter}:21)`,
    '#4      _rootRunUnary (dart:async/zone.dart:1407:47)',
  ])

const terse = (line: number) =>
  thrown('StateError', 'Bad state: No element', [
    'dart:core                             List.first',
    `package:shop/cart/cart_bloc.dart ${line}:24  CartBloc._onItemAdded`,
    `package:shop/cart/cart_bloc.dart ${line + 20}:7   CartBloc.add.<fn>`,
    'package:flutter/src/material/ink_well.dart 1170:21  _InkResponseState.handleTap',
  ])

const build = (widget: string, file: string) =>
  thrown('_TypeError', 'Null check operator used on a null value', [
    `#0      ${widget}.build (package:shop/${file}:30:50)`,
    '#1      StatelessElement.build (package:flutter/src/widgets/framework.dart:5550:49)',
    '#2      ComponentElement.performRebuild (package:flutter/src/widgets/framework.dart:5480:15)',
  ])

const obfuscated = (address: string, message: string) =>
  thrown('Exception', message, [
    '*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***',
    'pid: 12345, tid: 6789, name 1.ui',
    `    #00 abs 000000723d${address} virt 00000000000b46d7 _kDartIsolateSnapshotInstructions+0x1e26d7`,
  ])

export const DART_PAIRS: readonly ErrorPair[] = [
  same('other lines and Flutter version', bloc(42, 1154), bloc(48, 1170)),
  same('long and terse form', bloc(42, 1154), terse(42)),
  same(
    'anonymous closures',
    thrown('E', 'x', [
      '#0      Api.get.<anonymous closure>.<anonymous closure> (package:shop/api.dart:3:1)',
      '#1      main (package:shop/main.dart:3:1)',
    ]),
    thrown('E', 'x', [
      '#0      Api.get.<anonymous closure> (package:shop/api.dart:3:1)',
      '#1      main (package:shop/main.dart:3:1)',
    ]),
  ),
  same(
    'constructors',
    thrown('E', 'x', [
      '#0      new Price (package:shop/price.dart:3:1)',
      '#1      new Price.fromJson (package:shop/price.dart:9:1)',
    ]),
    thrown('E', 'x', [
      '#0      new Price (package:shop/price.dart:5:1)',
      '#1      new Price.fromJson (package:shop/price.dart:11:1)',
    ]),
  ),
  same(
    'obfuscated, same words',
    obfuscated('6346d7', 'Coupon A1 is not valid'),
    obfuscated('77aa01', 'Coupon B7 is not valid'),
  ),
  same(
    'a file path instead of a package',
    thrown('E', 'x', [
      '#0      run (file:///home/me/shop/bin/sync.dart:3:1)',
      '#1      main (file:///home/me/shop/bin/sync.dart:9:1)',
    ]),
    thrown('E', 'x', [
      '#0      run (file:///C:/ci/shop/bin/sync.dart:4:1)',
      '#1      main (file:///C:/ci/shop/bin/sync.dart:10:1)',
    ]),
  ),
  different(
    'same words, other widget',
    build('CartPage', 'cart_page.dart'),
    build('HomePage', 'home_page.dart'),
  ),
  different('same frames, other type', bloc(42, 1154), bloc(42, 1154, 'RangeError')),
  different(
    'obfuscated, other words',
    obfuscated('6346d7', 'Coupon is not valid'),
    obfuscated('6346d7', 'Session is over'),
  ),
  different(
    'same file, other method',
    thrown('E', 'x', [
      '#0      Api.get (package:shop/api.dart:3:1)',
      '#1      main (package:shop/main.dart:3:1)',
    ]),
    thrown('E', 'x', [
      '#0      Api.put (package:shop/api.dart:3:1)',
      '#1      main (package:shop/main.dart:3:1)',
    ]),
  ),
]
