/** `vigil push import`: subscriptions from a file with a JSON object in each line. */
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { IMPORTED_TOGETHER_MAX, type Imports } from '../../modules/push/index.ts'
import { requireOrg } from '../configuration/session.ts'
import { CommandError, type Io, type Options, type Output } from '../io.ts'
import { remoteApi } from '../remote/api.ts'
import { asCommandError, withPush } from './push-command.ts'

type ImportOptions = Options & { org?: string; application: string; file: string }
type LineFault = { line: number; field: string; message: string }
type Progress = { lines: number; created: number; existing: number; refused: number }

const PATH = '/console/api/push/subscriptions/import'
const PROGRESS_EVERY_LINES = 10_000
const FAULTS_SHOWN_MAX = 20

export async function importSubscriptions(
  io: Io,
  { org: named, application, file }: ImportOptions,
): Promise<Output> {
  const api = remoteApi(io, named)
  if (api) {
    const application_id = application
    return await importWith(io, file, async (subscriptions) => {
      return await api.send('POST', PATH, { application_id, subscriptions })
    })
  }
  const org = requireOrg(named)
  return await withPush(io, org, async ({ imports }) => {
    return await importWith(io, file, async (entries) => {
      return await asCommandError(imports.run(org, application, entries))
    })
  })
}

async function importWith(io: Io, file: string, run: Importing['run']): Promise<Output> {
  const path = resolve(io.working_folder, file)
  const onProgress = ({ lines }: Progress) => io.stderr(`${lines} lines imported`)
  const { progress, faults } = await importFile(path, { run, onProgress })
  const { lines, created, existing, refused } = progress
  return {
    json: { ...progress, faults },
    lines: [
      `${lines} lines: ${created} created, ${existing} registered already, ${refused} refused`,
      ...faults.map(({ line, message }) => `line ${line}: ${message}`),
      ...(refused > faults.length ? [`and ${refused - faults.length} others`] : []),
    ],
  }
}

type Importing = {
  run: (entries: readonly unknown[]) => ReturnType<Imports['run']>
  onProgress: (progress: Progress) => void
}

/** Reads the file as a stream, so its size does not matter. */
async function importFile(path: string, { run, onProgress }: Importing) {
  const progress: Progress = { lines: 0, created: 0, existing: 0, refused: 0 }
  const faults: LineFault[] = []
  let portion: { line: number; entry: unknown }[] = []
  const flush = async () => {
    const { created, existing, refused } = await run(portion.map(({ entry }) => entry))
    progress.created += created
    progress.existing += existing
    progress.refused += refused.length
    for (const { index, field, message } of refused) {
      if (faults.length === FAULTS_SHOWN_MAX) break
      faults.push({ line: portion[index]?.line ?? 0, field, message })
    }
    portion = []
  }
  try {
    const input = createReadStream(path, { encoding: 'utf8' })
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      progress.lines += 1
      if (text.trim() !== '') portion.push({ line: progress.lines, entry: parsed(text) })
      if (portion.length === IMPORTED_TOGETHER_MAX) await flush()
      if (progress.lines % PROGRESS_EVERY_LINES === 0) onProgress(progress)
    }
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'EISDIR') throw error
    throw new CommandError(`Cannot read ${path}`, { cause: error })
  }
  if (portion.length > 0) await flush()
  return { progress, faults }
}

/** A line that is not JSON stays a text, which is refused as an entry that is no object. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
