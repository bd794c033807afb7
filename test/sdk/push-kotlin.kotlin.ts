/** Runs the tests of the push client in Kotlin, which JUnit runs, against the real service. */
import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packageRoot } from '../../src/platform/package-root.ts'
import { usePushService } from '../support/push-service.ts'

const service = usePushService()
const FOLDER = join(packageRoot(), 'sdk', 'push-kotlin')
const PHONES = 10
/** The first run on a machine downloads the compiler and the libraries. */
const DOWNLOAD_MS = 420_000
const TESTS_MS = 420_000
const PRINTED_MAX_BYTES = 16 * 1024 * 1024
const NOT_DOWNLOADED = /in offline mode/
/** Maven could not get a package from the addresses that it prints. */
const UNAVAILABLE =
  /Could not (?:transfer|resolve|find artifact)|could not be resolved|Unknown host/

it(
  'passes its tests against the service',
  async ({ skip }) => {
    const stop = (missing: string | undefined): void => {
      if (missing === undefined) return
      process.stderr.write(`${missing}\n`)
      skip(missing)
    }
    stop(missingTools())
    const { url, fcm, createShop } = service()
    const { application_id, keys } = await createShop()
    const world = {
      service_url: url,
      application_id,
      public_key: keys.live_public,
      secret_key: keys.live_secret,
      tokens: Array.from({ length: PHONES }, () => fcm.getPhone(fcm.makePhone({}).id).token),
    }
    const runTests = async () =>
      await maven(TESTS_MS, ['--offline', 'test'], { VIGIL_PUSH_TEST: JSON.stringify(world) })
    let { status, output } = await runTests()
    if (NOT_DOWNLOADED.test(output)) {
      stop(await missingPackages())
      ;({ status, output } = await runTests())
    }
    expect(status, output).toBe('passed')
    expect(output).toMatch(/Tests run: \d{2,3}, Failures: 0, Errors: 0, Skipped: 0\s*$/m)
    expect(output).toContain('dev.vigil.push.ServiceTest')
  },
  DOWNLOAD_MS + 2 * TESTS_MS,
)

function missingTools(): string | undefined {
  try {
    const version = execFileSync('mvn', ['--version'], { encoding: 'utf8', timeout: 60_000 })
    const [, java] = /Java version: (\d+)/.exec(version) ?? []
    if (Number(java) >= 17) return undefined
  } catch {}
  return 'Maven with Java 17 or later is not installed. Install both to test the push client in Kotlin'
}

/** One small test needs everything that the others need. */
async function missingPackages(): Promise<string | undefined> {
  const { status, output } = await maven(DOWNLOAD_MS, ['-Dtest=PackagesTest', 'test'])
  if (status === 'passed') return undefined
  if (status === 'stopped' || UNAVAILABLE.test(output)) {
    return 'Maven could not download its packages, so the push client in Kotlin was not tested'
  }
  throw new Error(output)
}

type Run = { status: 'passed' | 'failed' | 'stopped'; output: string }

async function maven(
  timeout: number,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Run> {
  return await new Promise<Run>((resolve) => {
    execFile(
      'mvn',
      ['--batch-mode', '--no-transfer-progress', ...args],
      {
        cwd: FOLDER,
        env: { ...process.env, ...environment },
        timeout,
        killSignal: 'SIGKILL',
        maxBuffer: PRINTED_MAX_BYTES,
      },
      (error, stdout, stderr) => {
        const status = error ? (error.killed === true ? 'stopped' : 'failed') : 'passed'
        resolve({ status, output: stdout + stderr })
      },
    )
  })
}
