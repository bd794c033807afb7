#!/usr/bin/env node
/** Process entry: from the arguments to a command. */
import { Command, CommanderError } from 'commander'
import { VERSION } from './app.ts'
import { accountCommands } from './cli/accounts.ts'
import { checkCommands } from './cli/checks.ts'
import { CommandError, type Io, systemIo } from './cli/command.ts'
import { creditCommands } from './cli/credits.ts'
import { doctorCommand } from './cli/doctor.ts'
import { emulateCommands } from './cli/emulate.ts'
import { keyCommands } from './cli/keys.ts'
import { migrateCommand } from './cli/migrate.ts'
import { secretCommands } from './cli/secrets.ts'
import { serveCommand } from './cli/serve.ts'
import { ConfigError } from './config.ts'

async function main(argv: string[], io: Io): Promise<void> {
  const program = new Command('vigil')
    .description('Fraud checks, scoring, logs, devices, webhooks and push in one service')
    .version(VERSION)
    .showHelpAfterError()
    .exitOverride()
  const groups = [
    serveCommand,
    migrateCommand,
    doctorCommand,
    accountCommands,
    keyCommands,
    creditCommands,
    checkCommands,
    secretCommands,
    emulateCommands,
  ]
  for (const add of groups) add(program, io)
  await program.parseAsync(argv)
}

/** What the user can mend is a sentence; anything else is a fault of ours and shows its stack. */
function fail(error: unknown, io: Io, isJson: boolean): number {
  if (error instanceof CommanderError) return error.exitCode
  const isPlain = error instanceof CommandError || error instanceof ConfigError
  const message = error instanceof Error ? error.message : String(error)
  if (isJson) io.stdout(JSON.stringify({ error: message }))
  io.stderr(isPlain || !(error instanceof Error) ? message : (error.stack ?? message))
  return 1
}

const io = systemIo()
try {
  await main(process.argv, io)
} catch (error) {
  process.exitCode = fail(error, io, process.argv.includes('--json'))
}
