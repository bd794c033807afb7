#!/usr/bin/env node
/** Entry point of the `vigil` program. */
import { SERVE_PROCESS } from './cli/commands/serve-process.ts'
import { systemIo } from './cli/io.ts'
import { reportFailure, runProgram } from './cli/program.ts'
import { readEnvironment } from './config.ts'

const args = process.argv.slice(2)
const io = systemIo()
try {
  const environment = readEnvironment(io.working_folder, args[0] !== SERVE_PROCESS)
  process.exitCode = await runProgram(args, { ...io, environment })
} catch (error) {
  process.exitCode = reportFailure(error, io, args.includes('--json'))
}
