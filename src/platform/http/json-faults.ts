/**
 * Finds where a JSON text is nested too deeply or repeats a key, in one pass. It only runs to name
 * the member, once a fault is known to exist.
 */
import { shortened } from './errors.ts'

export type StructuralFault = { path: string; problem: string }

type Level = { keys: Set<string> | undefined; segment: string; index: number }

export type StructuralFaults = {
  /** A fault that concerns more than one element. The text behind it has not been examined. */
  whole?: StructuralFault
  /** The first fault of each element by its index, with the path inside of the element. */
  elements: Map<number, StructuralFault>
}

const PATH_SEGMENTS_MAX = 40
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** @param list name of the top-level list with elements that are judged one by one */
export function findStructuralFaults(
  text: string,
  depthMax: number,
  list?: string,
): StructuralFaults {
  const levels: Level[] = []
  const faults: StructuralFaults = { elements: new Map() }
  let level: Level | undefined
  let expectsKey = false
  const report = (problem: string): void => {
    const element = elementOf(levels, list)
    if (element === undefined) faults.whole = { path: pathOf(levels), problem }
    else if (!faults.elements.has(element)) {
      faults.elements.set(element, { path: pathOf(levels.slice(2)), problem })
    }
  }
  for (let at = 0; at < text.length && faults.whole === undefined; at += 1) {
    switch (text.charCodeAt(at)) {
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (levels.length >= depthMax) report(`is nested more than ${depthMax} levels deep`)
        expectsKey = text.charCodeAt(at) === OPEN_OBJECT
        level = { keys: expectsKey ? new Set() : undefined, segment: '', index: 0 }
        levels.push(level)
        break
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        levels.pop()
        level = levels.at(-1)
        expectsKey = false
        break
      case COMMA:
        if (level) level.index += 1
        expectsKey = level?.keys !== undefined
        break
      case COLON:
        expectsKey = false
        break
      case QUOTE: {
        const start = at
        at = closingQuote(text, start)
        if (!expectsKey || !level?.keys) break
        level.segment = readKey(text.slice(start, at + 1))
        if (level.keys.has(level.segment)) report('occurs more than once')
        level.keys.add(level.segment)
      }
    }
  }
  return faults
}

/** The index of the element of the list that contains the current place. */
function elementOf([root, container, ...inner]: Level[], list?: string): number | undefined {
  const isInside = root?.segment === list && container?.keys === undefined && inner.length > 0
  return isInside && list !== undefined ? container?.index : undefined
}

/** A loop, because a regular expression would overflow its stack on a text of some megabytes. */
function closingQuote(text: string, start: number): number {
  let at = start + 1
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) break
    if (code === BACKSLASH) at += 1
  }
  return at
}

function readKey(token: string): string {
  try {
    return String(JSON.parse(token))
  } catch {
    return token.slice(1, -1)
  }
}

const pathOf = (levels: Level[]): string =>
  levels
    .slice(0, PATH_SEGMENTS_MAX)
    .map(({ keys, segment, index }) => (keys ? shortened(segment) : String(index)))
    .join('.')
