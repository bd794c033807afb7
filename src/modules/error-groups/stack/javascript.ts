/**
 * Reads stacks of JavaScript engines: V8 (Chrome, Node, Hermes: `at f (file:1:2)`), SpiderMonkey and
 * JavaScriptCore (Firefox, Safari: `f@file:1:2`). Names are reduced to the part common to all engines.
 */
import { FRAMES_MAX, type Frame, type ParsedStack, readHeader, withoutPosition } from './frame.ts'
import { isAppScript } from './in-app.ts'
import { scriptPlace } from './script-file.ts'

export function readJavascript(lines: readonly string[]): ParsedStack {
  let header = readHeader((lines[0] ?? '').replace(/^Uncaught (?:\(in promise\) )?/, ''))
  let frames: Frame[] = []
  let isCause = false
  const places: Places = new Map()
  const isDecided = createDecision(lines)
  for (const line of lines) {
    const text = line.trim()
    const frame = text.startsWith('at ') ? readV8(text.slice(3), places) : readGecko(text, places)
    if (frame !== undefined) {
      frames.push(frame)
      if (isDecided(frame)) break
    } else if (text.includes(CAUSE)) {
      header = readHeader(text.slice(text.indexOf(CAUSE) + CAUSE.length)) ?? header
      isCause = true
      frames = []
    }
  }
  return { ...header, is_cause: isCause, frames: withoutMinified(frames) }
}

/**
 * Returns after each frame whether the remaining lines can no longer change the group, because reading
 * all frames of a long stack takes most of the time: enough frames count, none of their names can
 * turn out to be minified, and no cause follows.
 */
function createDecision(lines: readonly string[]): (frame: Frame) => boolean {
  const counted = new Set<string>()
  let isOpen = lines.some((line) => line.includes(CAUSE))
  return (frame) => {
    const { place, name, is_app } = frame
    if (name.length === SHORT_NAME) isOpen = true
    if (!isOpen && is_app && name !== '' && !isMinified(name)) counted.add(`${place}\0${name}`)
    return !isOpen && counted.size >= FRAMES_MAX
  }
}

const CAUSE = '[cause]: '
/** Length of the names that are minified if others of their file are. */
const SHORT_NAME = 3

/** Cache of what a path says, because most frames of a stack are in the same few files. */
type Places = Map<string, Pick<Frame, 'place' | 'is_app'>>

/** Reads `checkout (https://…/app.js:1:2)`, `async Cart.add [as onClick] (…)`, or only a place. */
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

/** Reads `async*Cart.add@https://…/app.js:1:2`; `add/<` is an anonymous function inside `add`. */
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

/** Recognizes `f@https://…/app.js:1:2`, but not `help@example.com`. */
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
  const { place, is_app } = places.get(path) ?? readPath(path, places)
  return { place, name: functionName(name), is_app }
}

function readPath(path: string, places: Places): Pick<Frame, 'place' | 'is_app'> {
  const place = scriptPlace(path)
  const read = { place, is_app: isAppScript(path, place) }
  places.set(path, read)
  return read
}

/**
 * Names of one or two characters are minified. Names of three characters in the same file are then
 * minified, too, because a minifier uses longer names after the short ones.
 */
function withoutMinified(frames: readonly Frame[]): Frame[] {
  const minified = new Set<string>()
  for (const { place, name } of frames) if (isMinified(name)) minified.add(place)
  return frames.map((frame) => {
    const isShort = frame.name.length <= SHORT_NAME && minified.has(frame.place)
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

function functionName(text: string): string {
  const alias = text.indexOf(' [as ')
  let name = alias < 0 ? text : text.slice(0, alias)
  if (NAMELESS.has(name)) return ''
  name = name.slice(name.lastIndexOf('.') + 1)
  name = name.slice(name.lastIndexOf(' ') + 1)
  return name.includes('<') ? '' : name
}

/** Short names, short names with a number, and functions that compilers generate for `await`. */
function isMinified(name: string): boolean {
  if (name.length <= 2) return name !== ''
  return name.startsWith('_callee') || name.startsWith('_loop') || /^[A-Za-z_$]{1,2}\d+$/.test(name)
}
