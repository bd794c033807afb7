import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { apns, fcm } from './emulators.ts'

const folder = mkdtempSync(join(tmpdir(), 'vigil-emulate-'))
afterAll(() => rmSync(folder, { recursive: true }))

const where = { port: 0, host: '127.0.0.1', folder }
const CA = `NODE_EXTRA_CA_CERTS=${join(folder, 'ca.pem')}`

describe('the push emulators print the settings to use them with', () => {
  it('FCM: its address, its token address and the authority', async () => {
    const { json, lines, close } = await fcm.start(where)
    const { url } = json as { url: string }
    await close()
    expect(json).toMatchObject({ kind: 'fcm', token_url: `${url}/token` })
    expect(lines.join('\n')).toContain(`VIGIL_FCM_URL=${url} VIGIL_FCM_TOKEN_URL=${url}/token`)
    expect(lines.join('\n')).toContain(CA)
    expect(existsSync(join(folder, 'ca.pem'))).toBe(true)
  })

  it.each([
    ['production', 'VIGIL_APNS_URL'],
    ['sandbox', 'VIGIL_APNS_SANDBOX_URL'],
  ] as const)('APNs, %s: its address and the authority', async (environment, setting) => {
    const { json, lines, close } = await apns.start({ ...where, environment })
    const { url } = json as { url: string }
    await close()
    expect(json).toMatchObject({ kind: 'apns', environment })
    expect(lines.join('\n')).toContain(`(${environment}) on ${url}`)
    expect(lines.join('\n')).toContain(`${setting}=${url} ${CA}`)
  })
})
