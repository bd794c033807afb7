/** `vigil review`: lists the queue, and decides about orders and cashier actions. */
import { Argument, type Command } from 'commander'
import { createScoring } from '../app/scoring.ts'
import {
  placeOf,
  REVIEW_ORDERS,
  REVIEW_STATES,
  type Review,
  type ReviewQuery,
} from '../modules/reviews/index.ts'
import {
  type Decision,
  REVIEW_SUBJECTS,
  type ReviewSubjectName,
} from '../modules/reviews/tables.ts'
import type { Mode } from '../platform/owner.ts'
import {
  CommandError,
  type Io,
  type Options,
  requireOrganization,
  setAction,
  withAccounts,
} from './command.ts'
import { checkNote, count, MODES, oneOf } from './options.ts'

const DECISIONS = { fraud: 'confirmed_fraud', legitimate: 'legitimate' } as const satisfies Record<
  string,
  Decision
>
const LISTED_DEFAULT = 50

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
  const review = program.command('review').description('review flagged orders and cashier actions')
  setAction<ListOptions>(
    review
      .command('list')
      .description('list the review queue')
      .option('--org <org_id>', 'only reviews of this organization')
      .addOption(oneOf('--mode <mode>', MODES, 'mode of the reviews').default('live'))
      .addOption(oneOf('--subject <subject>', REVIEW_SUBJECTS, 'only reviews of this subject'))
      .addOption(oneOf('--state <state>', REVIEW_STATES, 'state of the reviews').default('open'))
      .addOption(oneOf('--order <order>', REVIEW_ORDERS, 'sort order').default('newest'))
      .option('--limit <count>', 'maximum number of reviews', count, LISTED_DEFAULT)
      .option('--after <cursor>', 'continue after the page that ended with this cursor'),
    io,
    async ({ org, after, json: _json, ...query }) => {
      const place = after === undefined ? undefined : placeOf(after)
      if (after !== undefined && !place) throw new CommandError('--after is not a cursor')
      if (query.order === 'highest' && query.state !== 'open') {
        throw new CommandError('--order highest requires --state open')
      }
      return await withAccounts(io, async (accounts, core) => {
        if (org !== undefined) await requireOrganization(accounts, org)
        const { reviews } = createScoring(core, accounts)
        const page = await reviews.list({ ...query, org_id: org, after: place })
        return { json: page, lines: linesOf(page.reviews, page.next_cursor) }
      })
    },
  )
  setAction<DecideOptions>(
    review
      .command('decide')
      .description('record what an order or cashier action turned out to be, flagged or not')
      .argument('<id>', 'id of a review, order or cashier action, or an external_order_id')
      .addArgument(
        new Argument('<decision>', 'the decision').choices(Object.keys(DECISIONS)).argRequired(),
      )
      .option('--org <org_id>', 'id of the organization that the order belongs to')
      .addOption(oneOf('--mode <mode>', MODES, 'mode of the order'))
      .option('--note <text>', 'note to store with the decision'),
    io,
    async ({ org, mode, note }, id = '', word = '') => {
      checkNote(note)
      const decision = DECISIONS[word as keyof typeof DECISIONS]
      return await withAccounts(io, async (accounts, core) => {
        const { reviews } = createScoring(core, accounts)
        const scope = { org_id: org, mode }
        const decided = await reviews.decide(id, scope, { decision, by: 'cli', note })
        if ('refused' in decided) throw new CommandError(REFUSALS[decided.refused](id))
        const { review: of, changed } = decided
        const what = `${NAMES[of.subject]} ${of.external_id}`
        return {
          json: decided,
          lines: [changed ? `${what} labeled ${word}` : `${what} was already labeled ${word}`],
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
  not_found: (id: string) => `No review, order or cashier action has the id ${id}`,
  ambiguous: (id: string) => `Several orders have the id ${id}. Select one with --org and --mode.`,
  overtaken: (id: string) => `Another user has decided ${id} in the meantime`,
}

function linesOf(reviews: readonly Review[], cursor: string | null): string[] {
  if (reviews.length === 0) return ['No matching reviews']
  const lines = reviews.map(lineOf)
  return cursor === null ? lines : [...lines, `For more, use --after ${cursor}`]
}

function lineOf(review: Review): string {
  const { id, subject, external_id, risk_score, flags, reason, created_at, decision } = review
  const at = created_at.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)
  const score = String(risk_score).padStart(3)
  const state = decision ?? 'open'
  return [id, at, score, subject, external_id, flags.join(',') || '-', state, reason].join('  ')
}
