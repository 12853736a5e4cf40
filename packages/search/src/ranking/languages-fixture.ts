/** Notes in languages that the model was not taught, each with a question that it answers. */
export const languages: Readonly<Record<string, readonly (readonly [note: string, question: string])[]>> = {
  Turkish: [
    [
      'Parola sıfırlama\nParolanızı unuttuysanız giriş sayfasındaki bağlantıya tıklayın; size bir e-posta gönderilir.',
      'Parolamı unuttum, ne yapmalıyım?',
    ],
    [
      'Yedekler\nVeritabanı her gece saat ikide yedeklenir ve otuz gün saklanır.',
      'Veritabanı yedekleri ne kadar süre saklanır?',
    ],
    [
      'Faturalar\nMüşteriler faturayı otuz gün içinde öder; gecikirse hatırlatma gönderilir.',
      'Müşteri faturayı kaç günde ödemelidir?',
    ],
    [
      'İzinler\nYılda yirmi iki gün izin vardır; yöneticinize iki hafta önce haber verin.',
      'Yılda kaç gün izin hakkım var?',
    ],
    ['Toplantı odaları\nOdaları takvimden ayırın; büyük oda on iki kişiliktir.', 'Büyük oda kaç kişiliktir?'],
    ['Sunucu odası\nSunucu odasının anahtarı güvenlik görevlisindedir.', 'Sunucu odasının anahtarı kimde?'],
    [
      'Nöbet\nBu haftaki nöbetçi çağrı cihazını taşır; on beş dakika sonra yönetici aranır.',
      'Nöbetçi cevap vermezse ne olur?',
    ],
    [
      'Sürümler\nYeni sürüm salı günleri yayınlanır; geri almak için eski imaj kullanılır.',
      'Yeni sürüm hangi gün yayınlanır?',
    ],
    [
      'Kod inceleme\nHer değişiklik için bir onay, veritabanı değişiklikleri için iki onay gerekir.',
      'Veritabanı değişikliği için kaç onay gerekir?',
    ],
    ['Mutfak\nKahve makinesi cuma günleri temizlenir.', 'Kahve makinesi ne zaman temizlenir?'],
    ['Seyahat\nTren uçaktan önce gelir; fişleri bir ay içinde gönderin.', 'Seyahat fişleri ne zaman gönderilmeli?'],
    [
      'Güvenlik\nPersonel için iki aşamalı doğrulama zorunludur; kodlar bir uygulamadan gelir.',
      'Doğrulama kodları nereden gelir?',
    ],
  ],
  Romanian: [
    [
      'Resetarea parolei\nDaca ai uitat parola, apasa pe legatura din pagina de autentificare si vei primi un mesaj.',
      'Ce fac daca am uitat parola?',
    ],
    [
      'Copii de rezerva\nBaza de date este salvata in fiecare noapte la ora doua si pastrata treizeci de zile.',
      'Cat timp se pastreaza copiile de rezerva?',
    ],
    [
      'Facturi\nClientii platesc factura in treizeci de zile; apoi trimitem o notificare.',
      'In cate zile trebuie platita factura?',
    ],
    [
      'Concedii\nAi dreptul la douazeci si doua de zile pe an; anunta seful cu doua saptamani inainte.',
      'La cate zile de concediu am dreptul pe an?',
    ],
    ['Sali de sedinte\nRezerva sala in calendar; sala mare are douasprezece locuri.', 'Cate locuri are sala mare?'],
    ['Camera serverelor\nCheia camerei serverelor este la paznic.', 'La cine este cheia de la camera serverelor?'],
    [
      'De garda\nCine este de garda saptamana aceasta raspunde in cincisprezece minute, apoi este sunat seful.',
      'Cine raspunde cand este de garda?',
    ],
    [
      'Versiuni\nVersiunea noua apare martea; pentru revenire se foloseste imaginea veche.',
      'In ce zi apare versiunea noua?',
    ],
    [
      'Revizuirea codului\nO aprobare pentru fiecare schimbare, doua pentru baza de date.',
      'Cate aprobari sunt necesare pentru o schimbare?',
    ],
    ['Bucatarie\nAparatul de cafea se curata vinerea.', 'Cand se curata aparatul de cafea?'],
    [
      'Deplasari\nTrenul inaintea avionului; trimite bonurile intr-o luna.',
      'Cand trebuie trimise bonurile din deplasari?',
    ],
    [
      'Securitate\nAutentificarea in doi pasi este obligatorie; codurile vin dintr-o aplicatie.',
      'De unde vin codurile de autentificare?',
    ],
  ],
  Dutch: [
    [
      'Wachtwoord\nBen je je wachtwoord vergeten, klik dan op de link op de inlogpagina; je krijgt een bericht.',
      'Wat doe ik als ik mijn wachtwoord ben vergeten?',
    ],
    [
      'Reservekopieën\nDe databank wordt elke nacht om twee uur bewaard, dertig dagen lang.',
      'Hoe lang worden de reservekopieën bewaard?',
    ],
    [
      'Facturen\nKlanten betalen binnen dertig dagen; daarna volgt een herinnering.',
      'Binnen hoeveel dagen betalen klanten?',
    ],
    [
      'Verlof\nJe hebt recht op tweeëntwintig dagen per jaar; vraag het twee weken vooraf aan je leidinggevende.',
      'Op hoeveel dagen verlof heb ik recht?',
    ],
    [
      'Vergaderzalen\nReserveer een zaal in de agenda; de grote zaal heeft twaalf plaatsen.',
      'Hoeveel plaatsen heeft de grote zaal?',
    ],
    [
      'Serverruimte\nDe sleutel van de serverruimte ligt bij de bewaker.',
      'Bij wie ligt de sleutel van de serverruimte?',
    ],
    [
      'Wachtdienst\nWie deze week dienst heeft, antwoordt binnen een kwartier; anders wordt de chef gebeld.',
      'Wie wordt er gebeld na een kwartier?',
    ],
    [
      'Uitgaven\nNieuwe versies verschijnen op dinsdag; terugdraaien gaat met het oude beeld.',
      'Op welke dag verschijnen nieuwe versies?',
    ],
    [
      'Beoordeling van code\nEen goedkeuring voor elke wijziging, twee voor de databank.',
      'Hoeveel goedkeuringen zijn er nodig voor een wijziging?',
    ],
    ['Keuken\nHet koffieapparaat wordt op vrijdag schoongemaakt.', 'Wanneer wordt het koffieapparaat schoongemaakt?'],
    [
      'Reizen\nDe trein gaat voor het vliegtuig; stuur bonnetjes binnen een maand.',
      'Wanneer stuur ik de bonnetjes van een reis?',
    ],
    [
      'Veiligheid\nAanmelden in twee stappen is verplicht; codes komen uit een app.',
      'Waar komen de codes vandaan bij het aanmelden?',
    ],
  ],
  Indonesian: [
    [
      'Kata sandi\nJika lupa kata sandi, tekan tautan di halaman masuk; Anda akan menerima surat.',
      'Apa yang harus dilakukan jika lupa kata sandi?',
    ],
    [
      'Cadangan\nBasis data dicadangkan setiap malam pukul dua dan disimpan tiga puluh hari.',
      'Berapa lama cadangan disimpan?',
    ],
    [
      'Faktur\nPelanggan membayar dalam tiga puluh hari; setelah itu dikirim pengingat.',
      'Berapa hari pelanggan harus membayar?',
    ],
    [
      'Cuti\nSetiap tahun ada dua puluh dua hari cuti; beri tahu atasan dua minggu sebelumnya.',
      'Berapa hari cuti saya setiap tahun?',
    ],
    ['Ruang rapat\nPesan ruang di kalender; ruang besar punya dua belas kursi.', 'Berapa kursi di ruang besar?'],
    ['Ruang server\nKunci ruang server ada pada penjaga.', 'Siapa yang memegang kunci ruang server?'],
    [
      'Piket\nPetugas piket minggu ini menjawab dalam lima belas menit, lalu atasan ditelepon.',
      'Berapa menit petugas piket harus menjawab?',
    ],
    ['Rilis\nVersi baru terbit hari Selasa; untuk kembali dipakai citra lama.', 'Hari apa versi baru terbit?'],
    [
      'Tinjauan kode\nSatu persetujuan untuk setiap perubahan, dua untuk basis data.',
      'Berapa persetujuan untuk perubahan?',
    ],
    ['Dapur\nMesin kopi dibersihkan hari Jumat.', 'Kapan mesin kopi dibersihkan?'],
    ['Perjalanan\nKereta sebelum pesawat; kirim kuitansi dalam sebulan.', 'Kapan kuitansi perjalanan dikirim?'],
    ['Keamanan\nMasuk dengan dua langkah wajib; kode datang dari aplikasi.', 'Dari mana kode masuk datang?'],
  ],
}
