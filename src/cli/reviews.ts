/** `vigil review`: look at the queue, and say what became of an order or a cashier action. */
import { Argument, type Command } from 'commander'
import {
  placeOf,
  REVIEW_ORDERS,
  REVIEW_STATES,
  type Review,
  type ReviewQuery,
} from '../modules/reviews/index.ts'
import type { Mode } from '../platform/postgres/tables/platform.ts'
import {
  type Decision,
  REVIEW_SUBJECTS,
  type ReviewSubjectName,
} from '../platform/postgres/tables/reviews.ts'
import { answering, CommandError, type Io, type Options, withServices } from './command.ts'
import { count, MODES, oneOf } from './options.ts'

const DECISIONS = { fraud: 'confirmed_fraud', legitimate: 'legitimate' } as const satisfies Record<
  string,
  Decision
>
const LISTED_DEFAULT = 50
const NOTE_MAX_CHARS = 1000

type ListOptions = Options & {
  org?: string
  mode: Mode
  subject?: ReviewSubjectName
  state: ReviewQuery['state']
  order: ReviewQuery['order']
  limit: number
  after?: string
}

type DecideOptions = Options & { org?: string; mode?: Mode; note?: string }

export function reviewCommands(program: Command, io: Io): void {
  const review = program.command('review').description('look at flagged orders and decide')
  answering<ListOptions>(
    review
      .command('list')
      .description('print the queue')
      .option('--org <org_id>', 'only of this organisation')
      .addOption(oneOf('--mode <mode>', MODES, 'mode').default('live'))
      .addOption(oneOf('--subject <subject>', REVIEW_SUBJECTS, 'only of this kind'))
      .addOption(oneOf('--state <state>', REVIEW_STATES, 'state').default('open'))
      .addOption(oneOf('--order <order>', REVIEW_ORDERS, 'what comes first').default('newest'))
      .option('--limit <count>', 'at most so many', count, LISTED_DEFAULT)
      .option('--after <cursor>', 'only what comes after the page that ended with this cursor'),
    io,
    async ({ org, after, json: _json, ...query }) => {
      const place = after === undefined ? undefined : placeOf(after)
      if (after !== undefined && !place) throw new CommandError('--after is not a cursor')
      if (query.order === 'highest' && query.state !== 'open') {
        throw new CommandError('--order highest goes with --state open only')
      }
      return await withServices(io, async ({ services: { accounts, reviews } }) => {
        if (org !== undefined && !(await accounts.findOrganization(org))) {
          throw new CommandError(`There is no organisation ${org}`)
        }
        const page = await reviews.list({ ...query, org_id: org, after: place })
        return { json: page, lines: linesOf(page.reviews, page.next_cursor) }
      })
    },
  )
  answering<DecideOptions>(
    review
      .command('decide')
      .description('say what became of an order or cashier action, flagged or not')
      .argument('<id>', 'id of a review, an order or a cashier action, or an external_order_id')
      .addArgument(
        new Argument('<decision>', 'what it was').choices(Object.keys(DECISIONS)).argRequired(),
      )
      .option('--org <org_id>', 'organisation that the order belongs to')
      .addOption(oneOf('--mode <mode>', MODES, 'mode of the order'))
      .option('--note <text>', 'why, for those who look at it later'),
    io,
    async ({ org, mode, note }, id = '', word = '') => {
      if ((note?.length ?? 0) > NOTE_MAX_CHARS) {
        throw new CommandError(`--note must not be longer than ${NOTE_MAX_CHARS} characters`)
      }
      const decision = DECISIONS[word as keyof typeof DECISIONS]
      return await withServices(io, async ({ services: { reviews } }) => {
        const scope = { org_id: org, mode }
        const decided = await reviews.decide(id, scope, { decision, by: 'cli', note })
        if ('refused' in decided) throw new CommandError(REFUSALS[decided.refused](id))
        const { review: of, changed } = decided
        const what = `${NAMES[of.subject]} ${of.external_id}`
        return {
          json: decided,
          lines: [changed ? `${what} is labelled ${word}` : `${what} was labelled ${word} already`],
        }
      })
    },
  )
}

const NAMES: Record<ReviewSubjectName, string> = {
  order: 'Order',
  alert: 'Order',
  cashier_action: 'Action of cashier',
}

const REFUSALS = {
  not_found: (id: string) => `There is no review, order or cashier action ${id}`,
  ambiguous: (id: string) => `Several orders have the id ${id}. Name one with --org and --mode.`,
  overtaken: (id: string) => `Somebody else has decided ${id} meanwhile`,
}

function linesOf(reviews: readonly Review[], cursor: string | null): string[] {
  if (reviews.length === 0) return ['Nothing to show']
  const lines = reviews.map(lineOf)
  return cursor === null ? lines : [...lines, `More with --after ${cursor}`]
}

function lineOf(review: Review): string {
  const { id, subject, external_id, risk_score, flags, reason, created_at, decision } = review
  const at = created_at.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)
  const score = String(risk_score).padStart(3)
  const state = decision ?? 'open'
  return [id, at, score, subject, external_id, flags.join(',') || '-', state, reason].join('  ')
}
