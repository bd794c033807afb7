/** The package with the embedded engines, which npm installs unless optional packages are omitted. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRoom, type Room } from '../e2e/program.ts'
import { copyCache, inFolder, pack, ready, send, stop, USER } from './installation.ts'

let room: Room
let installed = { status: null as number | null, stderr: '' }
beforeAll(async () => {
  room = createRoom(USER)
  const cache = join(room.folder, 'cache')
  copyCache(cache)
  const { file } = pack(room.folder)
  // What `npm ci` has downloaded is not downloaded again.
  const args = ['install', '--prefer-offline', '--cache', cache, file]
  installed = await inFolder(room.folder).npm(...args)
})
afterAll(async () => await room.close())

describe('with the embedded engines', () => {
  it('stores and finds logs without any server', async () => {
    expect(installed).toMatchObject({ status: 0 })
    const running = inFolder(room.folder).start('serve', '--json')
    try {
      const service = await ready(running)
      expect(running.stderr()).not.toContain('not installed')
      const headers = { 'x-api-key': service.first_run?.keys.live_secret ?? '' }
      const logs = [{ device_id: 'till-1', level: 'error', message: 'printer jammed' }]
      const accepted = await send(service, '/v1/edge/logs', { headers, body: { logs } })
      expect(accepted).toMatchObject({ status: 200, content: { processed: 1 } })
      const org = service.first_run?.org_id ?? ''
      const find = async () =>
        (await inFolder(room.folder).vigil('logs', 'query', '--org', org)).stdout
      await expect.poll(find, { interval: 500 }).toContain('printer jammed')
    } finally {
      await stop(running)
    }
  })

  it('fills a demo without logs where the analytics engine is left out', async () => {
    rmSync(join(room.folder, 'node_modules', 'chdb'), { recursive: true })
    const options = ['--fill-only', '--json', '--days', '5', '--scale', '0.02']
    const { status, stdout, stderr } = await inFolder(room.folder).vigil('demo', ...options)
    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(stderr).toContain('The embedded analytics engine is not installed')
    const { counts } = JSON.parse(stdout) as { counts: Record<string, number> }
    expect(counts).toMatchObject({ logs: 0, rum: 0 })
    expect(counts['events']).toBeGreaterThan(0)
  })
})
