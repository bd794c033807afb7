/** Reads stacks of .NET and Unity. The innermost exception comes first, and determines the group. */
import { words } from '../words.ts'
import { type Frame, type ParsedStack, readHeader } from './frame.ts'
import { isAppDotnet } from './in-app.ts'

const INNER = ' ---> '

export function readDotnet(lines: readonly string[]): ParsedStack {
  let header = readHeader(withoutCode(lines[0] ?? ''))
  let isCause = false
  const frames: Frame[] = []
  for (const line of lines) {
    const text = line.trim()
    if (isDotnetFrame(text)) frames.push(...readFrame(text.slice(text.indexOf(' ') + 1)))
    else if (isUnityFrame(text)) frames.push(...readFrame(text.replace(':', '.')))
    else if (frames.length === 0 && line.includes(INNER)) {
      const inner = line.slice(line.lastIndexOf(INNER) + INNER.length)
      header = readHeader(withoutCode(inner)) ?? header
      isCause = true
    }
  }
  return { ...header, is_cause: isCause, frames }
}

/** The word `at` in the languages of the runtime. */
const AT = words('at bei à en em da v w i в 場所 위치 在 於 konum: ved vid')

/** Recognizes `at Shop.Cart.Add(Item item) in …` and `bei Shop.Cart.Add(Item item) in …`. */
export function isDotnetFrame(text: string): boolean {
  const space = text.indexOf(' ')
  if (space <= 0 || space > 6 || !AT.has(text.slice(0, space))) return false
  const open = text.indexOf('(', space)
  return open > 0 && text.indexOf('.', space) < open && text.indexOf(' ', space + 1) !== space + 1
}

/** Recognizes `Player.Move (Single x) (at Assets/Player.cs:12)`. */
export const isUnityFrame = (text: string): boolean => text.endsWith(')') && text.includes(') (at ')

/** Removes the number between type and colon in `SqlException (0x80131904): …`. */
function withoutCode(line: string): string {
  const code = line.indexOf(' (0x')
  const colon = line.indexOf(': ')
  return code > 0 && code < colon ? line.slice(0, code) + line.slice(colon) : line
}

/**
 * Reads `Shop.Cart.<AddAsync>d__4.MoveNext()` as `AddAsync` of `Cart`: state machines, lambdas and
 * local functions have the name of their method in angle brackets.
 */
function readFrame(text: string): Frame[] {
  const open = text.search(/[ (]/)
  const call = open < 0 ? text : text.slice(0, open)
  const angle = call.indexOf('<')
  const named = call.lastIndexOf('<')
  const inner = angle < 0 ? '' : call.slice(named + 1, call.indexOf('>', named))
  const owner = angle < 0 ? call : call.slice(0, angle - 1)
  const dot = owner.lastIndexOf('.')
  const method = angle < 0 ? owner.slice(dot + 1) : inner
  const type = angle < 0 ? owner.slice(0, Math.max(0, dot)) : owner
  const place = withoutArity(type.slice(type.replace(/\.$/, '').lastIndexOf('.') + 1)).replace(
    /\.$/,
    '',
  )
  return [{ place, name: withoutArity(method), is_app: isAppDotnet(call) }]
}

/** Removes `` `2 `` and `[TKey,TValue]`. */
function withoutArity(name: string): string {
  const end = name.search(/[`[]/)
  return end < 0 ? name : name.slice(0, end)
}
