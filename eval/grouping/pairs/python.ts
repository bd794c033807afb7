/** Pairs of Python errors. */
import { different, type ErrorPair, same, thrown } from './pair.ts'

const TRACEBACK = 'Traceback (most recent call last):'
const CAUSED = ['', 'The above exception was the direct cause of the following exception:', '']
const DURING = ['', 'During handling of the above exception, another exception occurred:', '']

const frame = (file: string, line: number, name: string, source = 'return f(x)'): string[] => [
  `  File "${file}", line ${line}, in ${name}`,
  `    ${source}`,
]

const view = (root: string, line: number, key: string, library = '3.11') =>
  thrown('KeyError', `'${key}'`, [
    TRACEBACK,
    ...frame(
      `${root}/venv/lib/python${library}/site-packages/django/core/handlers/base.py`,
      197,
      '_get_response',
    ),
    ...frame(`${root}/shop/views.py`, line, 'checkout', 'price = prices[sku]'),
    ...frame(`${root}/shop/pricing.py`, line + 30, 'lookup'),
    `KeyError: '${key}'`,
  ])

const task = (name: string, error: string, carets: boolean) =>
  thrown(error, 'could not convert', [
    TRACEBACK,
    ...frame('/usr/lib/python3.12/concurrent/futures/thread.py', 58, 'run'),
    ...frame('/app/jobs/run.py', 12, 'run_task'),
    ...frame('/app/jobs/tasks.py', 90, name, 'amount = float(row[3])'),
    ...(carets ? ['             ~~~~~^^^^^^^^'] : []),
    `${error}: could not convert string to float: 'n/a'`,
  ])

const chained = (outer: string, link: string[], inner: string, innerName: string) =>
  thrown(outer, 'see cause', [
    TRACEBACK,
    ...frame('/app/config.py', 20, innerName),
    `${inner}: 'region'`,
    ...link,
    TRACEBACK,
    ...frame('/app/main.py', 5, '<module>', 'main()'),
    ...frame('/app/config.py', 24, 'load'),
    `${outer}: see cause`,
  ])

const recursion = (repeated: number) =>
  thrown('RecursionError', 'maximum recursion depth exceeded', [
    TRACEBACK,
    ...frame('/app/tree.py', 9, 'open_tree'),
    ...frame('/app/tree.py', 4, 'walk'),
    ...frame('/app/tree.py', 4, 'walk'),
    `  [Previous line repeated ${repeated} more times]`,
    'RecursionError: maximum recursion depth exceeded',
  ])

const requests = (host: string, caller: string) =>
  thrown(
    'requests.exceptions.ConnectionError',
    `HTTPSConnectionPool(host='${host}', port=443): Max retries exceeded`,
    [
      TRACEBACK,
      ...frame('/app/sync.py', 31, caller),
      ...frame('/usr/local/lib/python3.11/site-packages/requests/adapters.py', 519, 'send'),
      `requests.exceptions.ConnectionError: HTTPSConnectionPool(host='${host}', port=443): Max retries exceeded`,
    ],
  )

const comprehension = (old: boolean) =>
  thrown('ZeroDivisionError', 'division by zero', [
    TRACEBACK,
    ...frame('/app/stats.py', 30, 'report'),
    ...(old ? frame('/app/stats.py', 30, '<listcomp>') : []),
    ...frame('/app/stats.py', 11, 'ratio'),
    'ZeroDivisionError: division by zero',
  ])

export const PYTHON_PAIRS: readonly ErrorPair[] = [
  same(
    'other root, line, key and Python',
    view('/srv/app', 10, 'SKU-1'),
    view('/home/web/rel-88', 14, 'SKU-99', '3.12'),
  ),
  same('Windows paths', view('/srv/app', 10, 'a1'), view('C:\\inetpub\\app', 10, 'a1')),
  same(
    'marks under the source since 3.11',
    task('import_row', 'ValueError', false),
    task('import_row', 'ValueError', true),
  ),
  same('recursion of other depth', recursion(970), recursion(2_991)),
  same('comprehensions have no frame since 3.12', comprehension(true), comprehension(false)),
  same(
    'other host',
    requests('api.stripe.com', 'push_orders'),
    requests('10.0.0.9', 'push_orders'),
  ),
  same(
    'the same direct cause in other clothes',
    chained('ConfigError', CAUSED, 'KeyError', 'read_region'),
    chained('StartupError', CAUSED, 'KeyError', 'read_region'),
  ),
  same(
    'the traceback in the message',
    {
      message: [
        TRACEBACK,
        ...frame('/app/a.py', 1, 'go'),
        ...frame('/app/b.py', 2, 'run'),
        'ValueError: 12',
      ].join('\n'),
    },
    thrown('ValueError', '13', [
      TRACEBACK,
      ...frame('/app/a.py', 3, 'go'),
      ...frame('/app/b.py', 4, 'run'),
      'ValueError: 13',
    ]),
  ),
  same(
    'with a logger in front',
    thrown('ValueError', 'bad', [
      'ERROR:root:Unhandled',
      TRACEBACK,
      ...frame('/app/a.py', 1, 'go'),
      'ValueError: bad',
    ]),
    thrown('ValueError', 'bad', [TRACEBACK, ...frame('/app/a.py', 1, 'go'), 'ValueError: bad']),
  ),
  same(
    'type with and without module',
    thrown('acme.errors.StockError', 'none left', [
      TRACEBACK,
      ...frame('/app/a.py', 1, 'take'),
      'acme.errors.StockError: none left',
    ]),
    thrown('StockError', 'none left', [
      TRACEBACK,
      ...frame('/app/a.py', 1, 'take'),
      'acme.errors.StockError: none left',
    ]),
  ),
  different(
    'same words, other function',
    task('import_row', 'ValueError', false),
    task('export_row', 'ValueError', false),
  ),
  different(
    'same place, other type',
    task('import_row', 'ValueError', false),
    task('import_row', 'TypeError', false),
  ),
  different(
    'same library, other caller',
    requests('api.stripe.com', 'push_orders'),
    requests('api.stripe.com', 'pull_stock'),
  ),
  different(
    'other direct cause',
    chained('ConfigError', CAUSED, 'KeyError', 'read_region'),
    chained('ConfigError', CAUSED, 'OSError', 'open_file'),
  ),
  different(
    'while handling, another error decides',
    chained('ConfigError', DURING, 'KeyError', 'read_region'),
    chained('AttributeError', DURING, 'KeyError', 'read_region'),
  ),
  different(
    'most recent call last: same entry, other end',
    thrown('ValueError', 'x', [
      TRACEBACK,
      ...frame('/app/main.py', 1, 'main'),
      ...frame('/app/cli.py', 1, 'dispatch'),
      ...frame('/app/cart.py', 9, 'add'),
      'ValueError: x',
    ]),
    thrown('ValueError', 'x', [
      TRACEBACK,
      ...frame('/app/main.py', 1, 'main'),
      ...frame('/app/cli.py', 1, 'dispatch'),
      ...frame('/app/user.py', 9, 'add'),
      'ValueError: x',
    ]),
  ),
]
