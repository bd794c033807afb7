/** `npm run example`: sets up the sample shop in a running demo, and starts its backend and a customer's phone. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { authorityFolder } from '../../demo/emulators.ts'
import { findDemo } from '../../demo/manifest.ts'
import { SHOP_RECEIVER } from '../../demo/story/receivers.ts'
import { ensureAuthority } from '../../emulators/certificate.ts'
import { demoFolder } from '../../src/cli/demo.ts'
import { startPhone } from './phone.ts'
import { type Installation, setUpShop } from './setup.ts'

/** The address in the form of the page. */
const EMAIL = 'clean@example.com'
const POLL_MS = 1000

const { values: options } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    port: { type: 'string', default: '4000' },
    python: { type: 'boolean', default: false },
  },
})

function findInstallation(): Installation {
  const { path, otherwise } = demoFolder(
    options['data-dir'],
    process.env['VIGIL_DATA_DIR'],
    process.cwd(),
  )
  for (const folder of otherwise === undefined ? [path] : [path, otherwise]) {
    const demo = findDemo(folder)
    if (typeof demo === 'string' || demo.url === undefined || demo.fcm_url === undefined) continue
    const { url, fcm_url, people } = demo
    const authority = ensureAuthority(authorityFolder(folder))
    const { org_id, owner, keys } = people
    return { url, org_id, owner, keys, authority, fcm: { url: fcm_url, ca: authority.cert } }
  }
  console.error('No demo is running. Start it in another terminal with: npm run demo')
  process.exit(1)
}

const installation = findInstallation()
const folder = mkdtempSync(join(tmpdir(), 'vigil-shop-'))
process.once('exit', () => rmSync(folder, { recursive: true }))
const hooks = Number(new URL(`https://${SHOP_RECEIVER}`).port)
const environment = await setUpShop(installation, { shop: Number(options.port), hooks }, folder)
const [program, file] = options.python
  ? ['python3', 'examples/shop/backend.py']
  : [process.execPath, 'dist/examples/shop/backend.js']
const backend = spawn(program, [file], {
  env: { ...process.env, ...environment },
  stdio: ['ignore', 'inherit', 'inherit'],
})
backend.once('error', ({ message }) => {
  console.error(message)
  process.exit(1)
})
backend.once('exit', (code) => process.exit(code ?? 0))
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => backend.kill('SIGTERM'))

const { org_id, owner, url } = installation
console.log(`Reviews ${url}/console/o/${org_id}/reviews?mode=test`)
console.log(`Sign in as ${owner.email} with the password ${owner.password}`)
const shop = `http://127.0.0.1:${options.port}`
const start = async () =>
  await startPhone({ shop, email: EMAIL, environment, fcm: installation.fcm }).catch(
    () => undefined,
  )
let phone = await start()
while (!phone) {
  await pause(POLL_MS)
  phone = await start()
}
console.log(`The phone of ${EMAIL} is registered`)
for (let shown = 0; ; await pause(POLL_MS)) {
  const notifications = await phone.notifications()
  for (const title of notifications.slice(shown)) console.log(`Notification on the phone: ${title}`)
  shown = notifications.length
}
