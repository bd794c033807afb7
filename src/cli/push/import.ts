/** `vigil push import`: subscriptions from a file with a JSON object in each line. */
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { IMPORTED_TOGETHER_MAX, type Imports } from '../../modules/push/index.ts'
import { CommandError, type Io, type Output } from '../io.ts'
import { type ApplicationOptions, asCommandError, withPush } from './push-command.ts'

type ImportOptions = ApplicationOptions & { file: string }
type LineFault = { line: number; field: string; message: string }
type Progress = { lines: number; created: number; existing: number; refused: number }

const PROGRESS_EVERY_LINES = 10_000
const FAULTS_SHOWN_MAX = 20

export const importSubscriptions = async (
  io: Io,
  { org, application, file }: ImportOptions,
): Promise<Output> =>
  await withPush(io, org, async ({ imports }) => {
    const path = resolve(io.working_folder, file)
    const { progress, faults } = await importFile(path, {
      run: async (entries) => await asCommandError(imports.run(org, application, entries)),
      onProgress: ({ lines }) => io.stderr(`${lines} lines imported`),
    })
    const { lines, created, existing, refused } = progress
    return {
      json: { ...progress, faults },
      lines: [
        `${lines} lines: ${created} created, ${existing} registered already, ${refused} refused`,
        ...faults.map(({ line, message }) => `line ${line}: ${message}`),
        ...(refused > faults.length ? [`and ${refused - faults.length} others`] : []),
      ],
    }
  })

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
