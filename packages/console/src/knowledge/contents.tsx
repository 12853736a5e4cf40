import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useMedia } from '../components/use-media'
import { formatQuery, useQuery, useSetQuery } from '../query'
import '../styles/contents.css'

/** Shorter texts are seen at a glance. */
const minHeadings = 3
const maxHeadings = 200
/** A heading this far below the top is the one being read. */
const readingPx = 96

interface Heading {
  /** Its name in the address, unlike that of any other heading. */
  slug: string
  text: string
  level: number
  element: HTMLElement
}

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60) || 'section'

const headingsIn = (text: HTMLElement): Heading[] => {
  const counts = new Map<string, number>()
  return [...text.querySelectorAll<HTMLElement>(':scope > [data-level]')].slice(0, maxHeadings).map((element) => {
    const text = element.textContent ?? ''
    const slug = slugOf(text)
    const count = (counts.get(slug) ?? 0) + 1
    counts.set(slug, count)
    return { slug: count === 1 ? slug : `${slug}--${count}`, text, level: Number(element.tagName.slice(1)), element }
  })
}

/** The headings of the text beside an element; the text may still be lexed, or change. */
const useHeadings = (beside: RefObject<HTMLElement | null>): Heading[] => {
  const [headings, setHeadings] = useState<Heading[]>([])
  useEffect(() => {
    const text = beside.current?.closest('.item-columns')?.querySelector<HTMLElement>(':scope > .prose')
    if (!text) return
    const read = (): void => setHeadings(headingsIn(text))
    read()
    const observer = new MutationObserver(read)
    observer.observe(text, { childList: true })
    return () => observer.disconnect()
  }, [beside])
  return headings
}

/** The heading whose section is being read. */
const useCurrent = (headings: readonly Heading[]): string | undefined => {
  const [current, setCurrent] = useState<string>()
  useEffect(() => {
    const box = headings[0]?.element.closest('.knowledge-main')
    if (!box) return
    const follow = (): void => {
      const { top } = box.getBoundingClientRect()
      const isAtEnd = box.scrollTop > 0 && box.scrollTop + box.clientHeight >= box.scrollHeight - 2
      const passed = headings.filter(({ element }) => element.getBoundingClientRect().top <= top + readingPx)
      setCurrent((isAtEnd ? headings.at(-1) : (passed.at(-1) ?? headings[0]))?.slug)
    }
    follow()
    box.addEventListener('scroll', follow, { passive: true })
    return () => box.removeEventListener('scroll', follow)
  }, [headings])
  return current
}

/** The sections of the text that this stands beside. In a narrow window they are folded. */
export const Contents = (): ReactNode => {
  const nav = useRef<HTMLElement>(null)
  const headings = useHeadings(nav)
  const current = useCurrent(headings)
  const query = useQuery()
  const setQuery = useSetQuery()
  const { section } = query
  const isFolded = useMedia('(max-width: 1265px)')
  // Browsers may return a promise of the scrolling, which an effect must not pass on as its cleanup.
  const scrollTo = (wanted: string | undefined): void => {
    headings.find(({ slug }) => slug === wanted)?.element.scrollIntoView()
  }
  const hasHeadings = headings.length > 0
  /** Later changes of the text do not scroll it. */
  const onSection = useEffectEvent((wanted: string | undefined, isShown: boolean): void => {
    if (isShown) scrollTo(wanted)
  })
  useEffect(() => onSection(section, hasHeadings), [section, hasHeadings])
  const top = Math.min(...headings.map(({ level }) => level))
  const list = (
    <ol className="contents-list">
      {headings.map(({ slug, text, level }) => (
        <li key={slug} style={{ paddingInlineStart: (level - top) * 12 }}>
          <a
            href={formatQuery({ ...query, section: slug })}
            aria-current={slug === current ? 'location' : undefined}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return
              event.preventDefault()
              setQuery({ section: slug })
              scrollTo(slug)
            }}
          >
            {text}
          </a>
        </li>
      ))}
    </ol>
  )
  return (
    <nav ref={nav} className="contents" aria-label="Contents" hidden={headings.length < minHeadings}>
      {isFolded ? (
        <details>
          <summary>Contents</summary>
          {list}
        </details>
      ) : (
        <>
          <h3>Contents</h3>
          {list}
        </>
      )}
    </nav>
  )
}
