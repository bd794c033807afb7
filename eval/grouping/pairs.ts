/**
 * Pairs of errors with a verdict, written by hand before the code that groups them. Made up, in the
 * formats that runtimes print.
 */
import { APPLE_PAIRS } from './pairs/apple.ts'
import { DART_PAIRS } from './pairs/dart.ts'
import { DOTNET_PAIRS } from './pairs/dotnet.ts'
import { GO_PAIRS } from './pairs/go.ts'
import { JAVASCRIPT_PAIRS } from './pairs/javascript.ts'
import { JVM_PAIRS } from './pairs/jvm.ts'
import { MESSAGE_PAIRS } from './pairs/messages.ts'
import type { ErrorPair } from './pairs/pair.ts'
import { PHP_PAIRS } from './pairs/php.ts'
import { PYTHON_PAIRS } from './pairs/python.ts'

export type { ErrorPair } from './pairs/pair.ts'

export const PAIRS: Readonly<Record<string, readonly ErrorPair[]>> = {
  javascript: JAVASCRIPT_PAIRS,
  jvm: JVM_PAIRS,
  python: PYTHON_PAIRS,
  dotnet: DOTNET_PAIRS,
  go: GO_PAIRS,
  apple: APPLE_PAIRS,
  dart: DART_PAIRS,
  php: PHP_PAIRS,
  messages: MESSAGE_PAIRS,
}
