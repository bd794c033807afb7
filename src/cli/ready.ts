/** What `vigil serve` prints when it is ready. */
import type { FirstRun } from '../app/first-run.ts'
import { VERSION } from '../app/version.ts'
import { fileLines, findCredentials, firstStartLines } from './first-start.ts'
import type { Io } from './io.ts'

export type Ready = {
  role: string
  url: string | undefined
  /** The address of the admin port. */
  admin_url: string | undefined
  data_dir: string
  trial_emulator: string | undefined
  first_run: FirstRun | undefined
}

export function printReady(io: Io, ready: Ready, isJson: boolean): void {
  const { first_run: first, ...rest } = ready
  const shown = {
    version: VERSION,
    ...rest,
    first_run: first && io.is_terminal !== true ? withoutSecrets(first) : first,
    credentials_file: findCredentials(ready.data_dir),
  }
  if (isJson) io.stdout(JSON.stringify(shown))
  else for (const line of readyLines(shown)) io.stdout(line)
}

type ShownFirstRun = FirstRun | Pick<FirstRun, 'org_id' | 'email'>

const withoutSecrets = ({ org_id, email }: FirstRun): ShownFirstRun => ({ org_id, email })

function readyLines(ready: {
  url: string | undefined
  admin_url: string | undefined
  data_dir: string
  trial_emulator: string | undefined
  first_run: ShownFirstRun | undefined
  credentials_file: string | undefined
}): string[] {
  const { url, admin_url, data_dir, trial_emulator, first_run, credentials_file } = ready
  const lines = [`Vigil ${VERSION}`, `  data       ${data_dir}`]
  if (url !== undefined) {
    const origin = url.replace(/\/v1$/, '')
    const reference = `  reference  ${origin}/docs`
    lines.push(`  console    ${origin}/console`, `  API        ${url}`, reference)
  }
  if (admin_url !== undefined) lines.push(`  metrics    ${admin_url}/metrics`)
  if (trial_emulator !== undefined) {
    lines.push(
      `  devices    ${trial_emulator} (emulated phones; \`vigil mdm connect\` connects Google)`,
    )
  }
  if (first_run && 'password' in first_run) lines.push(...firstStartLines(first_run, url))
  if (credentials_file !== undefined) lines.push(...fileLines(credentials_file))
  return lines
}
