/** Runs the commands of docs/operate/first-day.md, in one shell, from the top to the bottom. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packageRoot } from '../../src/platform/package-root.ts'
import { freePort } from './free-port.ts'
import { isRoot, MAIN, NOBODY, run, useRoom } from './program.ts'

const newRoom = useRoom()

it('the first day of an operator goes as it is described', { timeout: 300_000 }, async () => {
  const text = readFileSync(join(packageRoot(), 'docs', 'operate', 'first-day.md'), 'utf8')
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  expect(blocks.length).toBeGreaterThan(5)
  const account = isRoot ? NOBODY : undefined
  const { folder } = newRoom(account)
  // The package is installed by its own test.
  const commands = blocks
    .join('\n')
    .replaceAll(/^npm install .*$/gm, '')
    .replaceAll('npx vigil', `'${process.execPath}' '${MAIN}'`)
    .replaceAll('VIGIL_PORT=8080', `VIGIL_PORT=${await freePort()}`)
  const script = join(folder, 'first-day.sh')
  writeFileSync(script, `set -euo pipefail\nset -x\n${commands}`)
  const { status, stdout, stderr } = await run([script], { cwd: folder, program: 'bash', account })
  expect({ status, end: stderr.split('\n').slice(-8) }).toMatchObject({ status: 0 })
  expect(stdout).toContain('can be restored')
  expect(stdout).toMatch(/^east +1 organizations +open/m)
})
