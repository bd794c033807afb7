import { expect, it } from 'vitest'
import { demoFolder } from './demo.ts'

it.each([
  [undefined, undefined, '/here/data-demo'],
  [undefined, 'vigil', '/here/vigil-demo'],
  // Not '/var/lib/vigil/-demo', which is within an installation.
  [undefined, '/var/lib/vigil/', '/var/lib/vigil-demo'],
  [undefined, './data//', '/here/data-demo'],
  ['other', '/var/lib/vigil', '/here/other'],
])('a demonstration is beside the installation: %j %j in %s', (told, dataDir, folder) => {
  expect(demoFolder(told, dataDir, '/here')).toBe(folder)
})
