/**
 * Reads stacks of Java, Kotlin and Android. The innermost cause determines the group. Omitted frames
 * (`... 12 more`) are those of the enclosing error, and are restored.
 */
import { type Frame, type ParsedStack, readHeader } from './frame.ts'
import { isAppClass } from './in-app.ts'

export function readJvm(lines: readonly string[]): ParsedStack {
  let header = readHeader(withoutThread(lines[0] ?? ''))
  let isCause = false
  let isClosed = false
  let outer: string[] = []
  let own: string[] = []
  for (const line of lines) {
    const text = line.trim()
    if (line.startsWith('Caused by: ')) {
      header = readHeader(text.slice(11)) ?? header
      isCause = true
      isClosed = false
      outer = own
      own = []
    } else if (text.startsWith('Suppressed: ')) isClosed = true
    else if (isClosed) continue
    else if (text.startsWith('at ')) own.push(text)
    else if (text.startsWith('... ')) {
      const count = Number.parseInt(text.slice(4), 10)
      if (count > 0) own.push(...outer.slice(-count))
      isClosed = true
    }
  }
  return { ...header, is_cause: isCause, frames: own.flatMap(readFrame) }
}

/**
 * Recognizes `at com.acme.Cart.add(Cart.java:12)`, with an optional archive (` ~[shop.jar:1.2]`). The
 * file distinguishes it from other languages.
 */
export function isJvmFrame(text: string): boolean {
  const archive = text.endsWith(']') ? text.indexOf(') ') + 1 : text.length
  const open = text.indexOf('(')
  if (open < 0 || text.charAt(archive - 1) !== ')') return false
  const source = text.slice(open + 1, archive - 1)
  const dot = text.lastIndexOf('.', open)
  const space = text.indexOf(' ', 3)
  if (dot < 4 || (space >= 0 && space < open)) return false
  const colon = source.indexOf(':')
  const file = colon < 0 ? source : source.slice(0, colon)
  return SOURCES.has(file) || JVM_FILES.has(file.slice(file.lastIndexOf('.') + 1))
}

const SOURCES = new Set(['Native Method', 'Unknown Source', 'SourceFile', '<generated>'])
const JVM_FILES = new Set(['java', 'kt', 'kts', 'scala', 'groovy', 'clj'])

function withoutThread(line: string): string {
  if (!line.startsWith('Exception in thread "')) return line
  return line.slice(line.indexOf('" ', 21) + 2)
}

function readFrame(text: string): Frame[] {
  const open = text.indexOf('(')
  const call = text.slice(3, open < 0 ? text.length : open)
  if (call.includes('$$Lambda') || call.includes('$Proxy')) return []
  const qualified = call.slice(call.lastIndexOf('/') + 1)
  const dot = qualified.lastIndexOf('.')
  if (dot <= 0) return []
  const place = className(qualified.slice(0, dot))
  const name = methodName(qualified.slice(dot + 1))
  if (name === '' || isObfuscated(place, name)) return []
  return [{ place, name, is_app: isAppClass(place) }]
}

/** Removes generated subclasses (`$$…`) and numbers of anonymous classes (`$1`). */
function className(name: string): string {
  const generated = name.indexOf('$$')
  const own = generated > 0 ? name.slice(0, generated) : name
  if (!own.includes('$')) return own
  return own
    .split('$')
    .filter((part) => part !== '' && !/^\d+$/.test(part))
    .join('$')
}

/** Returns `close` for `lambda$close$3` and `close$default`; '' for bridges of the compiler. */
function methodName(name: string): string {
  if (name.startsWith('lambda$')) return name.slice(7, name.lastIndexOf('$'))
  if (name.startsWith('access$') || name.startsWith('-$$')) return ''
  const dollar = name.indexOf('$')
  return dollar > 0 ? name.slice(0, dollar) : name
}

/** ProGuard and R8 use names of one or two letters, which differ in every build. */
function isObfuscated(place: string, name: string): boolean {
  return name.length <= 2 && place.length - place.lastIndexOf('.') - 1 <= 2
}
