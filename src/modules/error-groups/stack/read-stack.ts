/** Detects the language of a stack by its first frame, and reads it. */
import { isAppleFrame, readApple } from './apple.ts'
import { isDartFrame, isTerseDartFrame, readDart } from './dart.ts'
import { isDotnetFrame, isUnityFrame, readDotnet } from './dotnet.ts'
import { isDigit, linesOf, type ParsedStack, withoutPosition } from './frame.ts'
import { isPlace, readGo } from './go.ts'
import { isGeckoFrame, readJavascript } from './javascript.ts'
import { isJvmFrame, readJvm } from './jvm.ts'
import { isPhpFrame, readPhp } from './php.ts'
import { readPython } from './python.ts'

type Reader = (lines: readonly string[]) => ParsedStack

/** Returns undefined without a frame of a known language. */
export function readStack(stack: string): ParsedStack | undefined {
  const lines = linesOf(stack)
  for (const line of lines) {
    const reader = readerOf(line)
    if (reader !== undefined) return reader(lines)
  }
  return undefined
}

function readerOf(line: string): Reader | undefined {
  if (isPlace(line)) return readGo
  const text = line.trim()
  const first = text.charCodeAt(0)
  if (text.startsWith('at ')) return readerOfAt(text)
  if (first === 35 && isDigit(text.charCodeAt(1))) {
    if (isDartFrame(text)) return readDart
    return isPhpFrame(text) ? readPhp : undefined
  }
  if (text.startsWith('Traceback (most recent') || text.startsWith('File "')) return readPython
  if (text.startsWith('goroutine ') && text.endsWith(':')) return readGo
  if (isTerseDartFrame(text)) return readDart
  if (isAppleFrame(text)) return readApple
  if (isUnityFrame(text) || (line.startsWith('   ') && isDotnetFrame(text))) return readDotnet
  return text.includes('@') && isGeckoFrame(text) ? readJavascript : undefined
}

/** Frames of Java, .NET and V8 begin with `at`, but a sentence can, too. */
function readerOfAt(text: string): Reader | undefined {
  if (isJvmFrame(text)) return readJvm
  if (text.includes(':line ')) return readDotnet
  const end = text.endsWith(')') ? text.slice(0, -1) : text
  if (withoutPosition(end) !== end) return readJavascript
  if (text.endsWith('(<anonymous>)') || text.endsWith('(native)') || text.includes(' (index ')) {
    return readJavascript
  }
  return isDotnetFrame(text) ? readDotnet : undefined
}
