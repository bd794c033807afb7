/** The result of the stack parsers, and helpers that several of them use. */

export type Frame = {
  /** File or class, without the parts that change between builds; '' when no part is stable. */
  place: string
  /** Name of the function; '' without a name or when it is minified. */
  name: string
  /** Code of the application, as opposed to a library or the runtime. */
  is_app: boolean
}

export type ParsedStack = {
  /** Type of the error that determines the group, if the stack has one. */
  type?: string | undefined
  message?: string | undefined
  /** True when that error is the cause of the one that was reported. */
  is_cause: boolean
  /** Nearest to the throw first. */
  frames: Frame[]
}

/** Number of frames that count, nearest to the throw: later ones show how the code was reached. */
export const FRAMES_MAX = 5

export const STACK_MAX = 16_384
const LINES_MAX = 200
const LINE_MAX = 1024

/**
 * Returns the lines of a stack to read: both ends of a long one, because some languages put the throw
 * first and others last.
 */
export function linesOf(stack: string): string[] {
  const text =
    stack.length > STACK_MAX
      ? `${stack.slice(0, STACK_MAX / 2)}\n${stack.slice(-STACK_MAX / 2)}`
      : stack
  const lines = text.split('\n')
  if (lines.length > LINES_MAX) lines.splice(LINES_MAX / 2, lines.length - LINES_MAX)
  return lines.map((line) => {
    const end = Math.min(line.endsWith('\r') ? line.length - 1 : line.length, LINE_MAX)
    return end === line.length ? line : line.slice(0, end)
  })
}

/** Splits `java.io.IOException: disk full` into type and message; undefined for a sentence. */
export function readHeader(line: string): { type: string; message: string } | undefined {
  const colon = line.indexOf(': ')
  const type = colon < 0 ? line.trim().replace(/:$/, '') : line.slice(0, colon).trim()
  if (type.length > 200 || !isTypeName(type)) return undefined
  return { type, message: colon < 0 ? '' : line.slice(colon + 2).trim() }
}

const isTypeName = (text: string): boolean =>
  /^[\w.$\\*`+]+$/.test(text) && /[A-Za-z]/.test(text) && /[\w`]$/.test(text)

/** Returns the last part of a path with slashes or backslashes. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}

/** Returns the last part of a path in lower case, without its extension. */
export function fileStem(path: string): string {
  const name = baseName(path)
  const dot = name.lastIndexOf('.')
  return (dot > 0 ? name.slice(0, dot) : name).toLowerCase()
}

/** Shortens `shop.cart.Cart.add` to `Cart.add`. */
export function lastTwo(name: string): string {
  const last = name.lastIndexOf('.')
  return last <= 0 ? name : name.slice(name.lastIndexOf('.', last - 1) + 1)
}

/** Removes `:12:34` or `:12` at the end. */
export function withoutPosition(place: string): string {
  let end = place.length
  for (let round = 0; round < 2; round += 1) {
    let index = end
    while (index > 0 && isDigit(place.charCodeAt(index - 1))) index -= 1
    if (index === end || index === 0 || place.charCodeAt(index - 1) !== 58) break
    end = index - 1
  }
  return end === place.length ? place : place.slice(0, end)
}

export const isDigit = (code: number): boolean => code >= 48 && code <= 57
