/**
 * What all commands share: settings, the database (that of a running service or one started for the
 * moment), and the answer, as text for people or as one JSON object with `--json`.
 */
import type { Command } from 'commander'
import { createServices, type Services } from '../app.ts'
import { type Config, readConfig } from '../config.ts'
import { createLog } from '../platform/log.ts'
import { OperatorError } from '../platform/operator-error.ts'
import { openStores, type Stores } from '../stores.ts'

export type Io = {
  working_folder: string
  environment: Record<string, string | undefined>
  stdout: (text: string) => void
  stderr: (text: string) => void
}

/** A fault of the caller: shown as its sentence, without a stack. */
export class CommandError extends OperatorError {}

/** The command has said everything itself; only the exit status is left to set. */
export class ReportedFailure extends Error {}

/** The environment is filled in by the entry, which can say what is wrong with it. */
export function systemIo(): Io {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithReader)
  return {
    working_folder: process.cwd(),
    environment: {},
    stdout: (text) => process.stdout.write(`${text}\n`),
    stderr: (text) => process.stderr.write(`${text}\n`),
  }
}

/** Whoever read the output has gone (`vigil key list | head -1`), which is no fault. */
function endWithReader(error: Error & { code?: string }): void {
  if (error.code !== 'EPIPE') throw error
  process.exitCode ??= 0
}

export type Options = { json?: boolean }

/** `json` is the whole result; `lines` say the same to a person. */
export type Answer = { json: object; lines: string[] }

/** Adds `--json` and prints what the action returns. */
export function answering<O extends Options>(
  command: Command,
  io: Io,
  action: (options: O, ...args: string[]) => Promise<Answer>,
): Command {
  return command
    .option('--json', 'print one JSON object')
    .action(async (...parameters: unknown[]) => {
      // Commander passes the arguments, then the options, then the command itself.
      const options = parameters.at(-2) as O
      const args = parameters.slice(0, -2) as string[]
      const { json, lines } = await action(options, ...args)
      if (options.json) io.stdout(JSON.stringify(json))
      else for (const line of lines) io.stdout(line)
    })
}

export type Context = { config: Config; stores: Stores; services: Services }

export async function withStores<T>(
  io: Io,
  run: (context: { config: Config; stores: Stores }) => Promise<T>,
): Promise<T> {
  const config = readConfig(io.environment)
  const stores = await openStores({
    config,
    log: createLog('warn'),
    working_folder: io.working_folder,
    progress: io.stderr,
    is_patient: true,
  })
  try {
    return await run({ config, stores })
  } finally {
    await stores.close()
  }
}

export async function withServices<T>(io: Io, run: (context: Context) => Promise<T>): Promise<T> {
  return await withStores(io, async ({ config, stores }) => {
    const services = await createServices(stores, config)
    return await run({ config, stores, services })
  })
}
