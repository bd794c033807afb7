/** Runs one evaluation by name: `npm run eval -- email`, with `--json` for one JSON object. */
import { evaluateEmail, printEmail } from './email.ts'

const EVALUATIONS = new Map<string, (asJson: boolean) => string>([
  [
    'email',
    (asJson) => {
      const result = evaluateEmail()
      return asJson ? JSON.stringify(result) : printEmail(result)
    },
  ],
])

const [name = '', ...flags] = process.argv.slice(2)
const evaluation = EVALUATIONS.get(name)
if (evaluation === undefined) {
  process.stderr.write(
    `usage: npm run eval -- <name> [--json]; names: ${[...EVALUATIONS.keys()].join(', ')}\n`,
  )
  process.exitCode = 2
} else {
  process.stdout.write(`${evaluation(flags.includes('--json'))}\n`)
}
