/**
 * Finds where a JSON text is nested too deeply or repeats a key. Slow and only used once a fault is
 * known to be there, in order to name the member.
 */
export type StructuralFault = { path: string; problem: string }

type Level = { keys: Set<string> | undefined; segment: string; index: number }

const PATH_SEGMENTS_MAX = 40

export function findStructuralFault(text: string, depthMax: number): StructuralFault {
  const levels: Level[] = []
  let expectsKey = false
  for (let at = 0; at < text.length; at += 1) {
    const level = levels.at(-1)
    switch (text.charAt(at)) {
      case '{':
      case '[': {
        if (levels.length >= depthMax) {
          return { path: pathOf(levels), problem: `is nested more than ${depthMax} levels deep` }
        }
        const isObject = text[at] === '{'
        levels.push({ keys: isObject ? new Set() : undefined, segment: '', index: 0 })
        expectsKey = isObject
        break
      }
      case '}':
      case ']':
        levels.pop()
        expectsKey = false
        break
      case ',':
        if (level) level.index += 1
        expectsKey = level?.keys !== undefined
        break
      case ':':
        expectsKey = false
        break
      case '"': {
        const start = at
        at = closingQuote(text, start)
        if (!expectsKey || !level?.keys) break
        level.segment = readKey(text.slice(start, at + 1))
        if (level.keys.has(level.segment)) {
          return { path: pathOf(levels), problem: 'occurs more than once' }
        }
        level.keys.add(level.segment)
      }
    }
  }
  return { path: '', problem: 'is not valid JSON' }
}

/** Step by step: a regular expression would exhaust its stack on a text of some megabytes. */
function closingQuote(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
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
    .map(({ keys, segment, index }) => (keys ? segment : String(index)))
    .join('.')
