import { expect, it } from 'vitest'
import { demoFolder } from './demo.ts'

it.each([
  [undefined, undefined, '/here/data-demo'],
  [undefined, 'vigil', '/here/vigil-demo'],
  // '/var/lib/vigil/-demo' would be within an installation.
  [undefined, '/var/lib/vigil/', '/var/lib/vigil-demo'],
  [undefined, './data//', '/here/data-demo'],
  ['other', '/var/lib/vigil', '/here/other'],
])('the folder of the demo is next to the installation: %j %j in %s', (chosen, dataDir, folder) => {
  expect(demoFolder(chosen, dataDir, '/here').path).toBe(folder)
})
