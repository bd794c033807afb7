/**
 * Finds where a JSON text is nested too deeply or repeats a key. Slow and only used once a fault is
 * known to be there, in order to name the member.
 */
export type StructuralFault = { path: string; problem: string }

type Level = { keys: Set<string> | undefined; segment: string; index: number }

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g
const PATH_SEGMENTS_MAX = 40

export function findStructuralFault(text: string, depthMax: number): StructuralFault {
  const levels: Level[] = []
  let expectsKey = false
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1)
    if (token === '{' || token === '[') {
      if (levels.length >= depthMax) {
        return { path: pathOf(levels), problem: `is nested more than ${depthMax} levels deep` }
      }
      levels.push({ keys: token === '{' ? new Set() : undefined, segment: '', index: 0 })
      expectsKey = token === '{'
    } else if (token === '}' || token === ']') {
      levels.pop()
      expectsKey = false
    } else if (token === ',') {
      if (level) level.index += 1
      expectsKey = level?.keys !== undefined
    } else if (token === ':') {
      expectsKey = false
    } else if (expectsKey && level?.keys && token.startsWith('"')) {
      level.segment = readKey(token)
      if (level.keys.has(level.segment)) {
        return { path: pathOf(levels), problem: 'occurs more than once' }
      }
      level.keys.add(level.segment)
    }
  }
  return { path: '', problem: 'is not valid JSON' }
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
