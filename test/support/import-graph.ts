/** The graph of imports between the files of the repository. */
import type { SourceFile } from './source.ts'

/** Paths of the imported files by the path of the importing file. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** @param options.types whether to include `import type`, which does not exist at run time */
export function importGraph(
  files: readonly SourceFile[],
  { types }: { types: boolean },
): ImportGraph {
  const known = new Set(files.map(({ path }) => path))
  return new Map(
    files.map(({ path, imports }) => [
      path,
      imports
        .filter(({ from, isType }) => known.has(from) && (types || !isType))
        .map(({ from }) => from),
    ]),
  )
}

/** All files that `start` imports directly or indirectly; `start` itself only if it is on a circle. */
export function reachableFrom(graph: ImportGraph, start: string): Set<string> {
  const seen = new Set<string>()
  const waiting = [...(graph.get(start) ?? [])]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    waiting.push(...(graph.get(next) ?? []))
  }
  return seen
}

/** The graph with reversed edges. */
export function importersOf(graph: ImportGraph): ImportGraph {
  const importers = new Map<string, string[]>([...graph.keys()].map((path) => [path, []]))
  for (const [path, imports] of graph) for (const from of imports) importers.get(from)?.push(path)
  return importers
}

/** Groups of files that import each other directly or indirectly. Files and groups are sorted. */
export function importCircles(graph: ImportGraph): string[][] {
  const importers = importersOf(graph)
  const grouped = new Set<string>()
  const circles: string[][] = []
  for (const path of [...graph.keys()].toSorted()) {
    if (grouped.has(path)) continue
    const reached = reachableFrom(graph, path)
    if (!reached.has(path)) continue
    const reaching = reachableFrom(importers, path)
    const circle = [...reached].filter((other) => reaching.has(other)).toSorted()
    for (const other of circle) grouped.add(other)
    circles.push(circle)
  }
  return circles
}
