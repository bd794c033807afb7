/**
 * What people read about each number of the rules when they think of changing it: its name and unit,
 * what it is, what raising it does, and how far a slider goes.
 */
import type { OrderParameters } from './parameters.ts'
import { ORDER_SIGNALS, type OrderSignal } from './signals.ts'

export type ParameterText = {
  label: string
  /** Empty for a plain number. */
  unit: string
  about: string
  raising: string
  /** Where the slider ends; more can be typed in as far as the rules allow. */
  slider_max: number
  step: number
}

export type SectionText<Section> = {
  title: string
  about: string
  parameters: Readonly<Record<keyof Section, ParameterText>>
}

type Texts = { readonly [Section in keyof OrderParameters]: SectionText<OrderParameters[Section]> }

const SIGNAL_LABELS: Readonly<Record<OrderSignal, string>> = {
  velocity: 'Velocity',
  amount_anomaly: 'Amount anomaly',
  location_anomaly: 'Location anomaly',
  device_anomaly: 'Device anomaly',
  time_anomaly: 'Time anomaly',
  pattern: 'Pattern',
}

const SIGNAL_ABOUT: Readonly<Record<OrderSignal, string>> = {
  velocity: 'More orders in a short time than are usual',
  amount_anomaly: 'An amount far from the usual one',
  location_anomaly: 'A place or a journey that does not fit',
  device_anomaly: 'A device that is new, shared or known from fraud',
  time_anomaly: 'An hour at which hardly anything is ordered',
  pattern: 'Payments, items and outcomes that do not fit',
}

const ofSignals = (text: (signal: OrderSignal) => ParameterText) =>
  Object.fromEntries(ORDER_SIGNALS.map((signal) => [signal, text(signal)])) as Record<
    OrderSignal,
    ParameterText
  >

/** A strength of 0-100 that a finding has, or that it has at most. */
const score = (label: string, about: string, most = false): ParameterText => ({
  label,
  unit: 'of 100',
  about,
  raising: most
    ? 'The finding may say more before it is held back.'
    : 'Orders with this finding get a higher score.',
  slider_max: 100,
  step: 1,
})

const number = (
  label: string,
  unit: string,
  about: string,
  rest: Pick<ParameterText, 'raising' | 'slider_max' | 'step'>,
): ParameterText => ({ label, unit, about, ...rest })

export const PARAMETER_TEXTS: Texts = {
  weights: {
    title: 'Weights',
    about: 'The cap of each signal: the score that it can make on its own is 100 times its weight.',
    parameters: ofSignals((signal) => ({
      label: SIGNAL_LABELS[signal],
      unit: 'share',
      about: `${SIGNAL_ABOUT[signal]}.`,
      raising: 'Such orders get a higher score; at 0 the signal counts nothing.',
      slider_max: 0.99,
      step: 0.01,
    })),
  },
  flag_scores: {
    title: 'Flags',
    about:
      'The strength from which on an order carries the flag of a signal. Flags do not change the score.',
    parameters: ofSignals((signal) => ({
      label: SIGNAL_LABELS[signal],
      unit: 'of 100',
      about: `${SIGNAL_ABOUT[signal]}.`,
      raising: 'Fewer orders carry the flag.',
      slider_max: 100,
      step: 1,
    })),
  },
  history: {
    title: 'New organisations, and what teaches',
    about: 'How long statistics are distrusted, and which orders do not become part of the usual.',
    parameters: {
      known_orders: number(
        'Orders until known',
        'orders',
        'With fewer orders statistics say little, and only hard rules flag.',
        { raising: 'Statistics are held back for longer.', slider_max: 1000, step: 1 },
      ),
      new_score_max: score(
        'Most for a new organisation',
        'The most that statistics make of an order until then.',
        true,
      ),
      held_back_score: {
        ...score(
          'Held back from',
          'Orders from this score on teach nothing until they are decided to be legitimate.',
        ),
        raising: 'More suspicious orders become part of what is usual.',
      },
    },
  },
  velocity: {
    title: 'Velocity',
    about: 'How many orders are ordinary, and who shares a device or an address.',
    parameters: {
      profile_per_day: number(
        'Orders per day of a profile',
        'per day',
        'Ordinary for one profile until the organisation has a rate of its own.',
        { raising: 'Bursts of new profiles say less.', slider_max: 10, step: 0.1 },
      ),
      device_people: number(
        'People behind a device',
        'people',
        'Counts of a device are divided by it.',
        { raising: 'Many orders from one device say less.', slider_max: 50, step: 0.5 },
      ),
      ip_people: number(
        'People behind an address',
        'people',
        'Counts of an address are divided by it.',
        { raising: 'Many orders from one address say less.', slider_max: 500, step: 1 },
      ),
      device_score_max: score(
        'Most for a device',
        'The most that many orders from one device may say.',
        true,
      ),
      ip_score_max: score(
        'Most for an address',
        'The most that many orders from one address may say; it may be an office or a carrier.',
        true,
      ),
      split_score_max: score(
        'Most for split amounts',
        'The most that an amount says that was perhaps split into several orders.',
        true,
      ),
    },
  },
  amounts: {
    title: 'Amounts',
    about: 'How far from the usual an amount has to be.',
    parameters: {
      half_surprise: number(
        'Surprise at half strength',
        'powers of ten',
        'How rare an amount is at which the signal is 50: 3.5 is one order in 3,000.',
        { raising: 'Only rarer amounts say something.', slider_max: 10, step: 0.1 },
      ),
      steepness: number(
        'Steepness',
        'per power of ten',
        'How fast the signal grows around that point.',
        {
          raising: 'The signal goes from nothing to all within a smaller range.',
          slider_max: 10,
          step: 0.1,
        },
      ),
      repeated_surprise: number(
        'Repeated surprise',
        'powers of ten',
        'How much each unusual amount of the last days adds to the next one.',
        { raising: 'A series of unusual amounts says more.', slider_max: 5, step: 0.1 },
      ),
      stranger_score_max: score(
        'Most for a stranger',
        'The most that an amount says of somebody with hardly any past.',
        true,
      ),
      tiny_share: number(
        'Tiny below',
        'of the usual',
        'An order below this share of the usual is tiny: the size that stolen cards are tried with.',
        { raising: 'More orders count as tiny.', slider_max: 1, step: 0.01 },
      ),
      tiny_score: score(
        'Tiny order',
        'What a tiny order says of a profile that is known to spend more.',
      ),
    },
  },
  hours: {
    title: 'Hours',
    about: 'The hour by the clock at the place of the order.',
    parameters: {
      prior_orders: number(
        'Orders of the organisation',
        'orders',
        'How many orders of a profile the histogram of all orders outweighs.',
        {
          raising: 'A profile needs more orders until its own hours count.',
          slider_max: 200,
          step: 1,
        },
      ),
      score_max: score('Most for an hour', 'The most that the hour may say.', true),
    },
  },
  places: {
    title: 'Places and journeys',
    about: 'Which journeys nobody makes, and which places are unusual.',
    parameters: {
      slack_km: number(
        'Slack',
        'km',
        'Taken off every distance: two cells of one network, a pin set wrong.',
        { raising: 'Journeys count as slower.', slider_max: 500, step: 5 },
      ),
      far_km: number('Far from', 'km', 'Nothing nearer is called impossible, however fast.', {
        raising: 'Shorter journeys say nothing.',
        slider_max: 2000,
        step: 10,
      }),
      impossible_kmh: number(
        'Impossible from',
        'km/h',
        'The speed that nobody travels at. More than the fast one.',
        { raising: 'Fewer journeys are impossible.', slider_max: 5000, step: 10 },
      ),
      fast_kmh: number('Fast from', 'km/h', 'Speeds from here to the impossible are graded.', {
        raising: 'Fewer journeys are fast.',
        slider_max: 5000,
        step: 10,
      }),
      impossible_score: score('Impossible journey', 'What a journey says that nobody makes.'),
      remote_score: score(
        'Most for a remote order',
        'The most that a journey says when a point may be where goods are shipped to.',
        true,
      ),
      remote_usual_score: score(
        'The same at a usual place',
        'The most that such a journey says where the profile is often found.',
        true,
      ),
      unusual_place_score: score(
        'Unusual place',
        'What a place says that is far from all where the profile is usually found.',
      ),
      new_country_score: score(
        'New country',
        'What a country says where the profile is not at home.',
      ),
      away_score: score(
        'Most for a holiday',
        'The most that an unusual place in a new country says.',
        true,
      ),
    },
  },
  devices: {
    title: 'Devices',
    about: 'What a device says that is new, shared or known from fraud.',
    parameters: {
      flagged_score: score(
        'Device known from fraud',
        'What a device says at least that was used for confirmed fraud.',
      ),
      check_risk_min: {
        ...score(
          'Checks count from',
          'Scores of checks of the device below this count for nothing.',
        ),
        raising: 'Fewer checks of devices say something of orders.',
      },
      public_score: score(
        'Most for a public device',
        'The most that a device says which the public has shared for long.',
        true,
      ),
      new_device_score: score('New device', 'A new device of a settled profile, alone.'),
      new_device_far_score: score(
        'New device far away',
        'A new device of a settled profile, far from its places.',
      ),
      new_device_large_score: score(
        'New device, large amount',
        'A new device of a settled profile, with a larger amount.',
      ),
      takeover_score: score(
        'Account takeover',
        'A new device of a settled profile, far away and with a larger amount.',
      ),
      anomaly_score: {
        ...score(
          'Profile updates name it from',
          'From this strength on an upsert of a profile names the pattern as device_anomaly.',
        ),
        raising: 'Fewer profile updates name a device anomaly. Scores of orders stay.',
      },
    },
  },
  payments: {
    title: 'Payments and items',
    about: 'Ways of payment that change, and items that do not come to the total.',
    parameters: {
      switch_score: score('Other method', 'Leaving a long habit for another method.'),
      crypto_switch_score: score('Switch to crypto', 'Leaving a long habit for crypto.'),
      crypto_new_device_score: score(
        'First crypto, new device',
        'The first crypto payment, from a device that the profile never used.',
      ),
      new_method_new_device_score: score(
        'New method, new device',
        'The same for any other method but cash.',
      ),
      mismatch_score: score(
        'Total does not fit',
        'Items and total more than a factor of two apart.',
      ),
      absurd_mismatch_score: score(
        'Total absurdly off',
        'Items and total more than a factor of five apart.',
      ),
      quantity_score: score(
        'Huge quantity',
        'More pieces of one item than ten times the most so far, or than anybody buys.',
      ),
    },
  },
}
