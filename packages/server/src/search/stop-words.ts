// English words that carry grammar and no subject. Contractions stand without their apostrophe.
const WORDS = `
a about above across after afterwards again against ago all almost alone along already also although always am among
amongst an and another any anybody anyhow anyone anything anyway anywhere are arent around as at away
be became because become becomes becoming been before beforehand behind being below beside besides between beyond both
but by
can cannot cant could couldnt
did didnt do does doesnt doing done dont down due during
each eg either else elsewhere enough etc even ever every everybody everyone everything everywhere except
few for from further furthermore
had hadnt has hasnt have havent having he hed hell hence her here hereafter hereby herein heres hereupon hers herself hes
him himself his hither how however hows
i id ie if ill im in indeed instead into is isnt it itd itll its itself ive
just
know
least less lest let lets like likely
many may maybe me meanwhile might mightnt mine more moreover most mostly much must mustnt my myself
namely near neither never nevertheless next no nobody none nor not nothing now nowhere
of off often oh ok on once one ones only onto or other others otherwise ought our ours ourselves out over own
per perhaps please
quite
rather really regarding
same say says seem seemed seeming seems several shall shant she shed shell shes should shouldnt since so some somebody
somehow someone something sometime sometimes somewhat somewhere soon still such
than that thatll thats the their theirs them themselves then thence there thereafter thereby therefore therein theres
thereupon these they theyd theyll theyre theyve this those though through throughout thru thus to together too toward
towards
under unless until unto up upon us
very via
was wasnt we wed well were werent weve what whatever whats when whence whenever whens where whereafter whereas whereby
wherein wheres whereupon wherever whether which whichever while whither who whod whoever whole wholl whom whomever whos
whose why whys will with within without wont would wouldnt
yes yet you youd youll your youre yours yourself yourselves youve
`

const stopWords: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/))

export const isStopWord = (word: string): boolean => stopWords.has(word)
