import type { RulesReplay } from '../../../../src/modules/orders/replays/schema.ts'
import { Badge, type Tone } from '../../components/index.ts'

const TONES: Readonly<Record<RulesReplay['state'], Tone>> = {
  queued: 'neutral',
  running: 'info',
  done: 'good',
  failed: 'bad',
  cancelled: 'neutral',
}

export const StateBadge = ({ state }: Pick<RulesReplay, 'state'>) => (
  <Badge tone={TONES[state]}>{state}</Badge>
)
