/**
 * Stacks of JavaScript engines: V8 (Chrome, Node, Hermes: `at f (file:1:2)`), SpiderMonkey and
 * JavaScriptCore (Firefox, Safari: `f@file:1:2`). Names are reduced to what all engines tell alike.
 */
import { type Frame, type ParsedStack, readHeader, withoutPosition } from './frame.ts'
import { isAppScript } from './in-app.ts'
import { scriptPlace } from './script-file.ts'

export function readJavascript(lines: readonly string[]): ParsedStack {
  let header = readHeader((lines[0] ?? '').replace(/^Uncaught (?:\(in promise\) )?/, ''))
  let frames: Frame[] = []
  let isCause = false
  const places = new Map<string, string>()
  for (const line of lines) {
    const text = line.trim()
    const frame = text.startsWith('at ') ? readV8(text.slice(3), places) : readGecko(text, places)
    if (frame !== undefined) frames.push(frame)
    else if (text.includes('[cause]: ')) {
      header = readHeader(text.slice(text.indexOf('[cause]: ') + 9)) ?? header
      isCause = true
      frames = []
    }
  }
  return { ...header, is_cause: isCause, frames: withoutMinified(frames) }
}

/** What `scriptPlace` answered: most frames of a stack are in the same few files. */
type Places = Map<string, string>

/** `checkout (https://…/app.js:1:2)`, `async Cart.add [as onClick] (…)`, or a place alone. */
function readV8(text: string, places: Places): Frame | undefined {
  let rest = text
  if (rest.startsWith('async ')) rest = rest.slice(6)
  if (rest.startsWith('new ')) rest = rest.slice(4)
  const open = rest.endsWith(')') ? rest.indexOf(' (') : -1
  const name = open < 0 ? '' : rest.slice(0, open)
  let place = open < 0 ? rest : rest.slice(open + 2, -1)
  if (place.startsWith('address at ')) place = place.slice(11)
  return frameOf(name, place, places)
}

/** `async*Cart.add@https://…/app.js:1:2`; `add/<` is a function without a name inside of `add`. */
function readGecko(text: string, places: Places): Frame | undefined {
  const at = text.indexOf('@')
  if (at < 0) return undefined
  const place = text.slice(at + 1)
  if (!isGeckoPlace(place)) return undefined
  const name = text.slice(text.lastIndexOf('*', at) + 1, at)
  if (name.includes(' ') && !name.endsWith(' code')) return undefined
  const line = place.indexOf(' line ')
  return frameOf(
    name.endsWith('<') ? '' : name.slice(name.lastIndexOf('/') + 1),
    line < 0 ? place : place.slice(0, line),
    places,
  )
}

/** `f@https://…/app.js:1:2`, not `help@example.com`. */
export const isGeckoFrame = (text: string): boolean =>
  text.endsWith('@[native code]') || readGecko(text, new Map()) !== undefined

function isGeckoPlace(place: string): boolean {
  if (place === '[native code]') return true
  const path = withoutPosition(place)
  return (
    path !== place && (path.includes('/') || SCRIPTS.has(path.slice(path.lastIndexOf('.') + 1)))
  )
}

const SCRIPTS = new Set(['js', 'mjs', 'bundle', 'jsbundle', 'hbc'])

function frameOf(name: string, position: string, places: Places): Frame | undefined {
  const path = withoutPosition(position)
  if (path === '' || path === 'native' || path === '[native code]' || path.startsWith('index ')) {
    return undefined
  }
  if (path.startsWith('<anonymous>') || path.startsWith('eval at ')) return undefined
  const place = places.get(path) ?? scriptPlace(path)
  places.set(path, place)
  return { place, name: functionName(name), is_app: isAppScript(path, place) }
}

/**
 * Names of one or two characters are minified, and then so are those of three in the same file: a minifier
 * takes longer ones when it has used up the short ones.
 */
function withoutMinified(frames: readonly Frame[]): Frame[] {
  const minified = new Set<string>()
  for (const { place, name } of frames) if (isMinified(name)) minified.add(place)
  return frames.map((frame) => {
    const isShort = frame.name.length <= 3 && minified.has(frame.place)
    return isShort || isMinified(frame.name) ? { ...frame, name: '' } : frame
  })
}

const NAMELESS = new Set([
  'anonymous',
  'eval',
  'global code',
  'module code',
  'eval code',
  'Anonymous function',
])

function functionName(given: string): string {
  const alias = given.indexOf(' [as ')
  let name = alias < 0 ? given : given.slice(0, alias)
  if (NAMELESS.has(name)) return ''
  name = name.slice(name.lastIndexOf('.') + 1)
  name = name.slice(name.lastIndexOf(' ') + 1)
  return name.includes('<') ? '' : name
}

/** One or two characters, or one with digits; and the functions that compilers make of `await`. */
function isMinified(name: string): boolean {
  if (name.length <= 2) return name !== ''
  return name.startsWith('_callee') || name.startsWith('_loop') || /^[A-Za-z_$]{1,2}\d+$/.test(name)
}
