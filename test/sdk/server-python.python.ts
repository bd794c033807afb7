/** Runs the tests of the Python client, which are Python, against the real service. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { missingPython } from '../../scripts/docs/by-python.ts'
import { packageRoot } from '../../src/platform/package-root.ts'
import { ownDatabase } from '../database.ts'
import { useHarness } from '../harness.ts'

// A separate database, because the flusher writes the logs of all organizations.
const harness = useHarness({ db: ownDatabase() })

it('passes its tests against the service', async ({ skip }) => {
  const missing = missingPython()
  if (missing !== undefined) skip(missing)
  const { app, createTenant, services, signIn } = harness()
  const base_url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/v1`
  const { org_id, keys } = await createTenant()
  const access_token = await signIn(org_id)
  const world = {
    base_url,
    org_id,
    access_token,
    live_key: keys.live_secret,
    test_key: keys.test_secret,
  }
  const { flushers } = services.telemetry
  for (const flusher of flushers) flusher.start()
  const { status, output } = await runPython({ VIGIL_TEST: JSON.stringify(world) })
  await Promise.all(flushers.map(async (flusher) => await flusher.stop(5000)))
  expect(status, output).toBe(0)
  expect(output).toMatch(/Ran \d{2} tests/)
  expect(output).not.toContain('skipped')
})

async function runPython(environment: Record<string, string>) {
  return await new Promise<{ status: number; output: string }>((resolve) => {
    execFile(
      'python3',
      ['-m', 'unittest', 'discover', '-s', 'tests'],
      {
        cwd: join(packageRoot(), 'sdk', 'server-python'),
        env: { ...process.env, ...environment, PYTHONDONTWRITEBYTECODE: '1' },
      },
      (error, stdout, stderr) => resolve({ status: error ? 1 : 0, output: stdout + stderr }),
    )
  })
}
