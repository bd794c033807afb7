/** Reads panics of Go, fatal errors of its runtime, and stacks of wrapped errors (`%+v`). */
import { messageTemplate } from '../message-template.ts'
import type { Frame, ParsedStack } from './frame.ts'
import { isAppGo } from './in-app.ts'

export function readGo(lines: readonly string[]): ParsedStack {
  const frames: Frame[] = []
  let panic: string | undefined
  let goroutines = 0
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    if (line.startsWith('panic: ')) panic ??= withoutRecovered(line.slice(7))
    else if (line.startsWith('fatal error: ')) panic ??= line
    else if (line.startsWith('goroutine ')) {
      goroutines += 1
      if (goroutines > 1) break
    } else if (isPlace(lines[index + 1]) && !isPlace(line)) {
      frames.push(readFrame(line, lines[index + 1] ?? ''))
    }
  }
  if (panic === undefined) return { is_cause: false, frames }
  // Runtime errors have no types; only their message distinguishes a nil pointer from an index.
  const isRuntime = panic.startsWith('runtime error: ') || panic.startsWith('fatal error: ')
  return { type: messageTemplate(panic), message: panic, is_cause: isRuntime, frames }
}

/** Recognizes the line after a function: `\t/src/cart.go:12 +0x1d`. */
export const isPlace = (line: string | undefined): boolean =>
  line !== undefined && line.startsWith('\t') && line.includes('.go:')

function withoutRecovered(text: string): string {
  const end = text.indexOf(' [recovered]')
  return end < 0 ? text : text.slice(0, end)
}

function readFrame(line: string, file: string): Frame {
  const creator = line.startsWith('created by ')
    ? line.slice(11).split(' in goroutine ', 1)[0]
    : line
  const call = withoutArguments(creator ?? '')
  const local = call.slice(call.lastIndexOf('/') + 1)
  const dot = local.indexOf('.')
  const place = dot < 0 ? '' : local.slice(0, dot)
  return { place, name: functionName(local.slice(dot + 1)), is_app: isAppGo(call, file) }
}

/** The arguments begin at the last bracket, unless the text begins with it. */
function withoutArguments(call: string): string {
  const open = call.endsWith(')') ? call.lastIndexOf('(') : -1
  const own = open > 0 ? call.slice(0, open) : call
  const parameters = own.indexOf('[')
  return parameters > 0 ? own.slice(0, parameters) : own
}

/** Shortens `(*Cart).Add.func1.2` to `Cart.Add`. */
function functionName(name: string): string {
  let result = ''
  for (const part of name.split('.')) {
    if (part === '' || isNumbered(part)) continue
    const start = part.startsWith('(*') ? 2 : part.startsWith('(') ? 1 : 0
    const own = start > 0 && part.endsWith(')') ? part.slice(start, -1) : part
    result += (result === '' ? '' : '.') + (own.endsWith('-fm') ? own.slice(0, -3) : own)
  }
  return result
}

/** Recognizes closures and wrappers, which the compiler numbers: `func1`, `gowrap2`, `3`. */
function isNumbered(part: string): boolean {
  const end = part.charCodeAt(part.length - 1)
  if (end < 48 || end > 57) return false
  return part.startsWith('func') || part.startsWith('gowrap') || Number.isInteger(Number(part))
}
