import assert from 'node:assert/strict'
import { engines } from 'worklore-testing/engines'
import { inLongRun } from 'worklore-testing/long-run'
import { describeConsole } from './console-stage.js'
import { it } from './journeys.js'

/** Each sets `window.hacked`, loads something from outside, or changes how the page looks, if it can. */
const payloads = [
  '<script>window.hacked=1</script>',
  '<img src=x onerror=window.hacked=1>',
  '<svg onload=window.hacked=1>',
  '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  '<body onload=window.hacked=1>',
  '<details open ontoggle=window.hacked=1>',
  '<input autofocus onfocus=window.hacked=1>',
  '<a href="javascript:window.hacked=1">x</a>',
  '[x](javascript:window.hacked=1)',
  '[x](JaVaScRiPt:window.hacked=1)',
  '[x](  javascript:window.hacked=1)',
  '[x](&#106;avascript:window.hacked=1)',
  '[x](data:text/html,<script>parent.hacked=1</script>)',
  '[x](vbscript:msgbox)',
  '[x](blob:https://example.com/1)',
  '<javascript:window.hacked=1>',
  '![x](javascript:window.hacked=1)',
  '![x](https://example.com/pixel.png)',
  '![x](//example.com/pixel.png "onerror=window.hacked=1")',
  '[x]: javascript:window.hacked=1\n\n[x]',
  '<style>*{display:none!important}</style>',
  '<div style="position:fixed;inset:0;background:red">x</div>',
  '<link rel=stylesheet href=https://example.com/x.css>',
  '<base href=https://example.com/>',
  '<meta http-equiv=refresh content="0;url=https://example.com">',
  '<form action=https://example.com><button>x</button></form>',
  '<object data=https://example.com/x></object>',
  '"><script>window.hacked=1</script>',
  "';window.hacked=1;//",
  '{{constructor.constructor("window.hacked=1")()}}',
  '#{window.hacked=1}',
  '```\n</code></pre><script>window.hacked=1</script>\n```',
  '| a |\n|---|\n| <img src=x onerror=window.hacked=1> |',
  '> > > > <img src=x onerror=window.hacked=1>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=window.hacked=1>',
  '\u202eevil\u202c \u2066isolate',
  'Z̴̧̛͖a̵l̷̢̛g̶o̸ '.repeat(8),
  `${'>'.repeat(300)} deep`,
  `${'['.repeat(2_000)}x`,
  `${'*a '.repeat(3_000)}`,
]

const title = (payload: string): string => payload.replaceAll('\n', ' ').slice(0, 500)

describeConsole('text written by agents', engines.slice(0, 1), (stage) => {
  it('never runs, loads or restyles anything, wherever it stands', async () => {
    await stage.wl.projects.create({
      key: 'EVIL',
      name: '<img src=x onerror=window.hacked=1>',
      description: payloads[0]!,
    })
    for (const payload of payloads) {
      const user = await stage.wl.users.create({ name: title(payload).slice(0, 100) })
      const task = await stage.wl.tasks.create({
        projectId: 'EVIL',
        title: title(payload),
        description: payload,
        assigneeId: user.id,
        labels: [title(payload).replaceAll(',', ' ').slice(0, 64)],
      })
      await stage.wl.tasks.comments(task.id).create({ body: payload })
      await stage.wl.knowledge.put(
        `evil/${payloads.indexOf(payload)} ${title(payload).replaceAll('/', '|').slice(0, 60)}`.trim(),
        {
          content: payload,
        },
      )
    }
    await stage.wl.keys.create({ name: '<script>window.hacked=1</script>', scopes: ['tasks:read'] })
    const page = await stage.open()
    const checkHarmless = async (where: string): Promise<void> => {
      const found = await page.evaluate(() => ({
        hacked: 'hacked' in window,
        elements: [
          ...document.querySelectorAll('script:not([src]), iframe, object, embed, base, meta[http-equiv], style, img'),
        ].map((each) => each.outerHTML),
        links: [...document.querySelectorAll<HTMLAnchorElement>('a[href]')]
          .filter(({ protocol }) => !['http:', 'https:', 'mailto:'].includes(protocol))
          .map(({ href }) => href),
        handlers: document.querySelectorAll('[onerror], [onload], [onfocus], [ontoggle], [onclick]').length,
        outside: [...document.querySelectorAll('.prose [style]')].length,
        isVisible: document.querySelector('.sidebar')!.getBoundingClientRect().width > 100,
      }))
      assert.deepEqual(
        found,
        { hacked: false, elements: [], links: [], handlers: 0, outside: 0, isVisible: true },
        where,
      )
    }
    for (const path of [
      '',
      'p/EVIL/board',
      'p/EVIL/list',
      'p/EVIL/tree',
      'k',
      'events',
      'keys',
      'projects',
      'search?q=window.hacked',
      'agents',
    ]) {
      await stage.go(page, path)
      await page.waitForTimeout(250)
      await checkHarmless(path)
    }
    await page.goto(stage.url('p/EVIL/list'))
    for (let number = 1; number <= payloads.length; number++) {
      await stage.go(page, `p/EVIL/list?task=EVIL-${number}`)
      await page
        .getByRole('complementary', { name: `Task EVIL-${number}`, exact: true })
        .locator('.comment')
        .first()
        .waitFor()
      await checkHarmless(payloads[number - 1]!)
    }
    const items = await stage.wl.knowledge.list({ limit: 100 })
    // They are shown as tasks are: the short run looks at some of them.
    for (const { key } of items.data.filter((_, at) => at % inLongRun(4, 1) === 0)) {
      await stage.go(page, `k/${key.split('/').map(encodeURIComponent).join('/')}`)
      await page.locator('.item .prose').waitFor()
      await checkHarmless(key)
    }
  })

  it('does not stop the page, however long it takes to parse', async () => {
    // On the page's own thread each would take minutes, or as many elements as stop it.
    const costly = {
      address: `${'a'.repeat(200_000)}@`,
      emphasis: '_a'.repeat(100_000),
      table: `${'|a'.repeat(8_000)}\n${'|-'.repeat(8_000)}\n${'|\n'.repeat(8_000)}`,
      list: `- a\n${'b\n'.repeat(100_000)}`,
      elements: '*a* '.repeat(60_000),
      nesting: '> '.repeat(100_000),
    }
    for (const [name, content] of Object.entries(costly)) await stage.wl.knowledge.put(`costly/${name}`, { content })
    await stage.wl.knowledge.put('costly/none', { content: 'Some **bold** text' })
    const page = await stage.open('k')
    for (const name of Object.keys(costly)) {
      await stage.go(page, `k/costly/${name}`)
      await page.locator('.item .prose > pre.plain').waitFor()
      await stage.go(page, `k/costly/${name}?edit=1`)
      await page.getByRole('textbox', { name: `Text of costly/${name}` }).waitFor()
    }
    await stage.go(page, 'k/costly/none')
    await page.locator('.item .prose strong').waitFor()
  })
})
