/** `vigil review`: lists the queue, and decides about orders and cashier actions. */
import { Argument, type Command } from 'commander'
import { REVIEW_ORDERS, REVIEW_STATES, REVIEW_SUBJECTS } from '../../modules/reviews/tables.ts'
import { type Io, setAction } from '../io.ts'
import { count, MODES, oneOf } from '../options.ts'
import type { DecisionWord } from '../reviews.ts'

const DECISIONS: readonly DecisionWord[] = ['fraud', 'legitimate']
const LISTED_DEFAULT = 50
const WEEKS_DEFAULT = 12

const load = () => import('../reviews.ts')

export function reviewCommands(program: Command, io: Io): void {
  const review = program.command('review').description('review flagged orders and cashier actions')
  setAction(
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
    async () => (await load()).listReviews,
  )
  setAction(
    review
      .command('stats')
      .description('show decisions, their precision and what they saved, by week')
      .option('--org <org_id>', 'id of the organization (default: that of vigil login)')
      .addOption(oneOf('--mode <mode>', MODES, 'mode of the reviews').default('live'))
      .option('--weeks <count>', 'number of weeks, at most 53', count, WEEKS_DEFAULT),
    io,
    async () => (await load()).showStatistics,
  )
  setAction(
    review
      .command('decide')
      .description('record what an order or cashier action turned out to be, flagged or not')
      .argument('<id>', 'id of a review, order or cashier action, or an external_order_id')
      .addArgument(new Argument('<decision>', 'the decision').choices(DECISIONS).argRequired())
      .option('--org <org_id>', 'id of the organization that the order belongs to')
      .addOption(oneOf('--mode <mode>', MODES, 'mode of the order'))
      .option('--note <text>', 'note to store with the decision'),
    io,
    async () => (await load()).decideReview,
  )
}
