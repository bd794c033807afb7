/** No file reaches itself through its imports, `import type` included. */
import { expect, it } from 'vitest'
import { importCircles, importGraph } from './support/import-graph.ts'
import { readSource, readSources } from './support/source.ts'

it('no files import each other in a circle', () => {
  expect(importCircles(importGraph(readSources(), { types: true }))).toEqual([])
})

it('circles are found completely, without the files around them', () => {
  const files = [
    readSource('src/a.ts', "import { b } from './b.ts'"),
    readSource('src/b.ts', "import type { C } from './c.ts'"),
    readSource('src/c.ts', "export { a } from './a.ts'\nimport { d } from './d.ts'"),
    readSource('src/d.ts', "import { e } from 'e'"),
    readSource('src/f.ts', "import { a } from './a.ts'"),
    readSource('src/g.ts', "import { g } from './g.ts'"),
  ]
  expect(importCircles(importGraph(files, { types: true }))).toEqual([
    ['src/a.ts', 'src/b.ts', 'src/c.ts'],
    ['src/g.ts'],
  ])
  expect(importCircles(importGraph(files, { types: false }))).toEqual([['src/g.ts']])
})
