// English words that carry grammar and no subject. Letters are variables and initials, but for c, r and x, which people
// search for; so are shell and id, which a list of contractions without their apostrophes would hold.
const WORDS = `
a about above across after afterwards again against ago all almost alone along already also although always am among
amongst an and another any anybody anyhow anyone anything anyway anywhere are arent around as at away
b be became because become becomes becoming been before beforehand behind being below beside besides between beyond
both but by
can cannot cant could couldnt
d did didnt do does doesnt doing dont down during
e each eg either else elsewhere enough especially etc even ever every everybody everyone everything everywhere
exactly except
f few for from further furthermore
g get gets getting given gives got gotten
h had hadnt has hasnt have havent having he hence her here hereafter hereby herein hereupon hers herself him himself
his hither how however
i ie if im in indeed instead into is isnt it its itself ive
j just
k know
l least less lest let lets like likely
m many may maybe me meanwhile might mine more moreover most mostly much must my myself
n namely near need needs neither never nevertheless no nobody none nor not nothing now nowhere
o of off often oh ok on once one ones only onto or other others otherwise ought our ours ourselves out over own
p particular particularly per perhaps please
q quite
rather really regarding
s same say says seem seemed seeming seems several shall she should shouldnt since so some somebody somehow someone
something sometime sometimes somewhat somewhere soon still such
t than that thats the their theirs them themselves then thence there thereafter thereby therefore therein thereupon
these they this those though through throughout thru thus to together too toward towards
u under unless until unto up upon us use used uses using
v various very via vs
w want wants was wasnt we well were werent what whatever whats when whence whenever where whereafter whereas whereby
wherein whereupon wherever whether which whichever while whither who whoever whole whom whomever whose why will with
within without wont would wouldnt
y yes yet you your youre yours yourself yourselves
z
`

const stopWords: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/))

const longest = Math.max(...[...stopWords].map((word) => word.length))

export const isStopWord = (word: string): boolean => word.length <= longest && stopWords.has(word)
