/** What became of the recipients of a message, as parts of a whole. */
import type { ShownMessage } from '../../../../src/modules/push/messages/reading/schema.ts'
import type { Tone } from '../../components/index.ts'

export type OutcomePart = { label: string; value: number; tone: Tone }

export const partsOf = (
  message: Pick<ShownMessage, 'accepted' | 'failed' | 'pending' | 'cancelled'>,
): OutcomePart[] => [
  { label: 'accepted', value: message.accepted, tone: 'good' },
  { label: 'failed', value: message.failed, tone: 'bad' },
  { label: 'pending', value: message.pending, tone: 'info' },
  { label: 'cancelled', value: message.cancelled, tone: 'neutral' },
]
