/** Reads frames of Swift and Objective-C crashes: number, binary, address, symbol + offset (file:line). */
import { type Frame, isDigit, lastTwo, type ParsedStack } from './frame.ts'
import { isAppBinary } from './in-app.ts'

export function readApple(lines: readonly string[]): ParsedStack {
  return { is_cause: false, frames: lines.flatMap((line) => readFrame(line.trim())) }
}

/** Recognizes `3   Shop   0x0000000104a2c8f4 …`. */
export function isAppleFrame(text: string): boolean {
  if (!isDigit(text.charCodeAt(0))) return false
  const address = text.indexOf(' 0x')
  const space = text.indexOf(' ')
  return space > 0 && space <= 3 && address > space
}

function readFrame(text: string): Frame[] {
  if (!isAppleFrame(text)) return []
  const address = text.indexOf(' 0x')
  const binary = text.slice(text.indexOf(' '), address).trim()
  const symbol = text.slice(text.indexOf(' ', address + 1) + 1)
  const plus = symbol.lastIndexOf(' + ')
  const name = plus < 0 ? symbol : symbol.slice(0, plus)
  const isKnown = !name.startsWith('0x') && name !== binary
  return [{ place: '', name: isKnown ? symbolName(name) : '', is_app: isAppBinary(binary) }]
}

/**
 * Returns the function around closures, thunks and specializations: `Cart.add` for `closure #1 in
 * Cart.add(item:)`, and `Cart load:` for `__20-[Cart load:]_block_invoke`.
 */
function symbolName(symbol: string): string {
  const method = symbol.indexOf('-[') >= 0 ? symbol.indexOf('-[') : symbol.indexOf('+[')
  if (method >= 0) {
    const end = symbol.indexOf(']', method)
    return symbol.slice(method + 2, end < 0 ? symbol.length : end)
  }
  let name = readMangled(symbol) ?? symbol
  for (const around of [' for ', ' in ']) {
    const at = name.lastIndexOf(around)
    if (at >= 0) name = name.slice(at + around.length)
  }
  const open = name.search(/[(<]/)
  if (open > 0) name = name.slice(0, open)
  return lastTwo(name.slice(name.lastIndexOf(' ') + 1))
}

/**
 * Returns `Cart.add` for `$s4Shop4CartC3add4itemySS_tF`, which has module, types and function, each
 * after its length.
 */
function readMangled(symbol: string): string | undefined {
  const start = symbol.indexOf('$s')
  if (start < 0 || start > 1) return undefined
  const names: string[] = []
  let index = start + 2
  while (index < symbol.length && isDigit(symbol.charCodeAt(index))) {
    const length = Number.parseInt(symbol.slice(index, index + 3), 10)
    index += String(length).length
    names.push(symbol.slice(index, index + length))
    index += length
    const isType = names.length > 1 && 'CVO'.includes(symbol.charAt(index))
    if (names.length > 1 && !isType) break
    index += isType ? 1 : 0
  }
  return names.length > 1 ? names.join('.') : undefined
}
